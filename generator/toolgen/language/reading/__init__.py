"""Text to specs: YAML is read, every field is parsed, and errors of fields are described."""
