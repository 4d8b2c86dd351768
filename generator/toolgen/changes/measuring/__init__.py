"""What models are sent: sizes of definitions, and whether users' words find the tools."""
