"""A program as it is published: in the catalog, by each target, and in one request with all tools."""
