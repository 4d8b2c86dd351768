"""Errors that the shape of a definition cannot show, of specs in YAML and of definitions in Python."""
