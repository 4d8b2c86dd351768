def toolgen_toolkit():
    """Return a toolkit."""
