"""A small lending library, as a user of toolgen would write it."""
