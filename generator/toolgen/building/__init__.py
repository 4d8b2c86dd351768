"""Build the output of a project, or of one action of a build system, and compare it with what is on disk."""
