"""Forward tools, resources and prompts of another MCP server. `toolgen.upstream` has the names."""
