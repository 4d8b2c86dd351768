"""JSON Schema to Pydantic classes: which classes there are, and the data that templates write them from."""
