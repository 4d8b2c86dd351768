"""Diagnostics to text: one format per file."""
