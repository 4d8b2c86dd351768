"""What goes in comes out: measured, not claimed."""
