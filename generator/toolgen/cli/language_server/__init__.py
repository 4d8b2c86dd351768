"""Specs in an editor: diagnostics, definitions, fixes and formatting over LSP."""
