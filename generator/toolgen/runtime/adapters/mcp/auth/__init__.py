"""Who calls an MCP server, and what they may do: bearer tokens over HTTP (OAuth 2.1, RFC 6750, RFC 9728)."""
