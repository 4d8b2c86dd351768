"""A tool's contract: compiled once, then enforced on every request and every result."""
