"""Measure definitions as models get them: their sizes, and whether the words of users find the tools."""
