"""Calls of tools: context, logs, sessions, misbehaving implementations, every provider."""
