"""Calls that run in workers: they are recorded and queued, and their results are kept for a time."""
