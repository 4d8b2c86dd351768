"""Turning strings that hold JSON into values where the schema leaves no doubt."""
