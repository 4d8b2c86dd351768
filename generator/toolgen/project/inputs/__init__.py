"""What the user wrote: settings, specs and templates, and the folder that holds them."""
