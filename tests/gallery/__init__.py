"""The gallery: its specs, and the implementations of its tools."""
