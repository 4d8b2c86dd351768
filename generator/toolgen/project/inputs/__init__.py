"""Files that users write: configuration, specs and templates, and the folder that holds them."""
