"""YAML 1.2 as JSON data, every piece with its place."""
