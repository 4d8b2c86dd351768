"""`toolgen call`: calls of a running server, and files of results."""
