"""The call path: request in, implementation run, response out."""
