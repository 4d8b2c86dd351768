"""Specs to a program: references are resolved, and the tools are checked, alone and together."""
