"""Targets: what is generated for. `builtin.py` is the only list of them."""
