"""Lint: warnings about specs that are valid. `rules/` has them, `linter.py` runs them.

The severity of each rule is in `toolgen.language.codes`.
"""
