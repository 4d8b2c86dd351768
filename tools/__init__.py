"""What developers of toolgen run, and nobody installs."""
