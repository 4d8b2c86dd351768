"""JSON Schema: documents, graphs, limits, and the dialects of providers. Standard library only."""
