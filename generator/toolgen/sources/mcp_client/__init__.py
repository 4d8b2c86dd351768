"""Client of running MCP servers: what a source names, connections with limits of time and size, calls."""
