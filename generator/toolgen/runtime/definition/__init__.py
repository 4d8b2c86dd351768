"""Definitions of tools as plain data: their shape, and the validation of hand-written ones."""
