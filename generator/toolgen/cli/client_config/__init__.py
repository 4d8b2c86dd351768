"""Entries of MCP servers in the configuration files of clients."""
