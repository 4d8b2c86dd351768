"""toolgen's commands."""
