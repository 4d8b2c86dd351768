"""Import Python functions: signatures become schemas, docstrings become texts."""
