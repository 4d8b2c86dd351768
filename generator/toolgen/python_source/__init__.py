"""Python as text: names, literals, docstrings that no spec can break out of."""
