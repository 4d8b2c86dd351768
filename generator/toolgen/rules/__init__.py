"""Lint: one rule per file."""
