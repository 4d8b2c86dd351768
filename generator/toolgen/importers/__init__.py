"""Tools as other people have them, as specs: pure functions from JSON to a spec's fields and what to tell."""
