"""Code mode: three tools in place of all, for models that write programs. Runs in production."""
