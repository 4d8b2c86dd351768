"""Python source text: names, literals, docstrings, and the cache of formatted modules."""
