"""Rules about tools as a whole: their names, texts, limits, and whether there are any."""
