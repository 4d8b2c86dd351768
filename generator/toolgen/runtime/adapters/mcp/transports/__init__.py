"""Transports of an MCP server: stdio, and streamable HTTP as an ASGI application or the command's server."""
