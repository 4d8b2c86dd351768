"""Targets, such as MCP or OpenAI: `builtin.py` is the only list of them."""
