"""Input of strangers: a repository that tries to run, to read and to stop; names that try to be code."""
