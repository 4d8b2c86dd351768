"""Import OpenAPI 3.0, 3.1 and 3.2 documents: one tool per operation, with its HTTP call."""
