"""Inputs of tests: valid requests, from known values and values beside those of examples."""
