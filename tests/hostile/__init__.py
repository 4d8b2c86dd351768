"""Hostile repositories and names."""
