"""Stands for the generated server."""
