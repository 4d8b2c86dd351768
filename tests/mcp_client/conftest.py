"""The command line in a project, as the tests of the command line have it."""

from tests.cli.conftest import empty, own_cache, project

__all__ = ["empty", "own_cache", "project"]
