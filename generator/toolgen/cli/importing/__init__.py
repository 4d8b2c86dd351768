"""`toolgen import`: where each kind of source is read, and how its tools become specs on disk."""
