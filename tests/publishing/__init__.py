"""What the targets registry, mcpb, skill and agents write, and `toolgen bundle`."""
