"""Fixtures: projects with tools, on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .project import ECHO_SPEC, ECHO_TOOL, Project
from .slow_tools import add_tools
from .stores import RedisServer


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one well-behaved tool, `echo`, not generated yet."""
    made = Project.create(tmp_path)
    made.add_tool("echo", ECHO_SPEC, ECHO_TOOL)
    return made


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A generated project with the tools of `slow_tools.py`. Tests share it and must not change it."""
    made = Project.create(tmp_path_factory.mktemp("serving"))
    made.add_tool("echo", ECHO_SPEC, ECHO_TOOL)
    add_tools(made)
    made.generate()
    return made


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def store(request: Any, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a store that processes share."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/shared.sqlite3"
        return
    with RedisServer(tmp_path) as server:
        yield server.url
