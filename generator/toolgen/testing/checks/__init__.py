"""The checks of `toolgen test`: one a file, each a function of a tool and one observation of it."""
