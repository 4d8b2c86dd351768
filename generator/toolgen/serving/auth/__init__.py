"""Authentication and scopes of an MCP server: bearer tokens over HTTP (OAuth 2.1, RFC 6750, RFC 9728)."""
