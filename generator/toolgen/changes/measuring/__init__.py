"""What models are sent: sizes of definitions, what would shrink them, whether users' words find the tools."""
