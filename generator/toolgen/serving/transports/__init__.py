"""Transports of an MCP server: stdio, and streamable HTTP as an ASGI application or as a command."""
