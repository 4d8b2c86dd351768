"""A page to look at, try and share: what people read about the tools of a project."""
