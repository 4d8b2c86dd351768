"""Other people's tools through all of toolgen: imported, generated, served, called; and what was lost."""
