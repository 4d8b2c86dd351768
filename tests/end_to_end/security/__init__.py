"""Hostile specs, templates, documents and servers."""
