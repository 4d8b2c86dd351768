"""The gallery: the specs, what they promise, and the implementations that keep it."""
