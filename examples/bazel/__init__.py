"""A Bazel workspace, and scripts that create its toolchain and build it."""
