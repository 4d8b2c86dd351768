"""The output folder and its manifest."""
