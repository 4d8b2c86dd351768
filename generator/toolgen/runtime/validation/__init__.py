"""Validate values with an author's schema, and describe their faults."""
