"""Findings of the first outsiders, as black-box tests: command line, stdio, HTTP and public names only."""
