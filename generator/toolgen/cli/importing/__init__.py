"""`toolgen import`: read a source of each kind, convert its tools, and write the specs."""
