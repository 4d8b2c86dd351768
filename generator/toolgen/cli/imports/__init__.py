"""Arguments and output of `toolgen import`: one kind of source per file."""
