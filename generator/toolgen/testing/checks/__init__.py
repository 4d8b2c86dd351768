"""The checks of `toolgen test`: functions of a tool and one observation of it."""
