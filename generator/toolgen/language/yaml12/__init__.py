"""YAML 1.2 as JSON data, with positions: reading, writing, and patching."""
