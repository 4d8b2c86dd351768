"""A package in the shape that toolgen generates, written by hand: the runtime is tested on it."""
