"""A Bazel workspace of its own, and what makes and shows it."""
