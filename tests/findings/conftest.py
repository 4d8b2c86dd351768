"""Projects for the tests of findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from .project import ECHO_SPEC, ECHO_TOOL, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one well-behaved tool, `echo`; not generated yet."""
    made = Project(tmp_path, {"TOOLGEN_CACHE_DIR": str(tmp_path / "cache")})
    made.write("toolgen.toml", 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    made.write("tools/__init__.py", "")
    made.add_tool("echo", ECHO_SPEC, ECHO_TOOL)
    return made
