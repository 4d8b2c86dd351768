"""Output formats of diagnostics, one per file."""
