"""Implementations of the tools."""
