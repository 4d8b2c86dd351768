"""A program to the text of Python files: names, models, templates, layout."""
