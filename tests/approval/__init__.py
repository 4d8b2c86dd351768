"""Calls that people approve with keys of their own."""
