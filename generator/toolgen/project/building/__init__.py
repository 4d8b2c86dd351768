"""Build the output of a project, and compare it with what is on disk."""
