"""OpenAPI 3.0, 3.1 and 3.2 as specs: one tool per operation or per tag, and how each is called."""
