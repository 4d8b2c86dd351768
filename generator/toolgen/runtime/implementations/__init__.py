"""Implementations of tools: imported on first use, registered by name, checked before a server starts."""
