"""A package like those that toolgen generates, written by hand, to test the runtime."""
