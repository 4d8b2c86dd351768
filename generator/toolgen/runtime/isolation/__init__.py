"""Isolation of code that is not the runtime's: implementations, callbacks, listeners, factories."""
