"""The five designs that toolgen brings together: one module each, one test for each claim."""
