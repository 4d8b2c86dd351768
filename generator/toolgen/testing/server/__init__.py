"""Test a running MCP server against the specs."""
