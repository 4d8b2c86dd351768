"""Checking values with an author's schema: compiled schemas, and faults in words."""
