"""Tests with FastMCP are only collected if it is installed: `make test-bridges`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import toolgen

from tests.cli.conftest import empty, own_cache, project

__all__ = ["empty", "own_cache", "project"]

collect_ignore_glob = [] if find_spec("fastmcp") else ["test_fastmcp_*.py"]

if find_spec("toolgen.templates") is None:  # the package is not installed here; it is mapped to templates/
    toolgen.__path__.append(str(Path(__file__).parents[2]))
