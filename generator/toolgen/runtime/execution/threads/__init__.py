"""Threads of the runtime: workers for synchronous tools, and an event loop for synchronous callers."""
