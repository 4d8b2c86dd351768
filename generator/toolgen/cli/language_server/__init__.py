"""Specs in an editor: diagnostics, completion, hover, navigation and fixes over LSP.

`server.py` speaks the protocol (pygls); everything below it takes and returns values.
"""
