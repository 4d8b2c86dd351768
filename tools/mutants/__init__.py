"""Mutation test of `toolgen test`: faults put into the gallery's implementations, which it has to find."""
