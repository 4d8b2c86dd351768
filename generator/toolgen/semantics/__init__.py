"""Errors that the shape of a spec cannot show: schemas, names, examples, placeholders, options, loops."""
