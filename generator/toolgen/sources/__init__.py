"""Convert existing tool definitions to specs: pure functions from parsed input to spec fields and notes."""
