"""Both sides of a comparison: what `--against` names, and how it is read."""
