"""Read both sides of a comparison: the project, and what `--against` names."""
