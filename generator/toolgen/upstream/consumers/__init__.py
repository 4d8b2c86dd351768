"""Typed clients of MCP servers: their sources, files and locks, what their users call, and drift."""
