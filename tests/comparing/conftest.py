"""The command line in a project, as the tests of the command line have it."""

from tests.cli.conftest import cache, empty, project

__all__ = ["cache", "empty", "project"]
