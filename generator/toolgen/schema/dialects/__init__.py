"""The JSON Schema dialects of providers: the author's schema to theirs, and arguments back."""
