"""JSON Schema to Pydantic classes: which classes there are, and their source text by the model engine."""
