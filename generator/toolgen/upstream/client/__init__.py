"""Typed clients of MCP servers: connection, checked calls, drift at connect. `toolgen.client` names them."""
