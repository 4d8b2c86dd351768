"""Tests with the frameworks are only collected if these are installed: `make test-bridges`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import toolgen
from toolgen.runtime import Toolkit

from examples.tools import context
from generated import catalog
from tests.scopes import granting

collect_ignore_glob = [] if find_spec("langchain") else ["test_bridge_to_*.py"]

if find_spec("toolgen.templates") is None:  # the package is not installed here; it is mapped to templates/
    toolgen.__path__.append(str(Path(__file__).parents[2]))


@pytest.fixture
def gallery(tmp_path: Path) -> Toolkit:
    """The gallery's toolkit on separate data."""
    return catalog.toolkit(context=context(tmp_path), config=granting())
