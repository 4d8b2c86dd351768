"""Fixtures: a project with every target that writes documents."""

from __future__ import annotations

import pytest

from tests.cli.conftest import SPEC, Cli, empty, own_cache, project

__all__ = ["empty", "own_cache", "project"]

CONFIGURATION = """\
implementations = "work"
targets = ["mcp", "registry", "mcpb", "skill", "agents"]

[server]
name = "Ada's Shop"
version = "1.2.0"

[publish]
name = "io.github.YOUR-NAME/shop"
description = "Greets people."
author = "Ada Example"
"""


@pytest.fixture
def shop(project: Cli) -> Cli:
    """A generated project with one tool that needs a secret."""
    (project.root / "toolgen.toml").write_text(CONFIGURATION)
    project.spec("greet", SPEC.replace("NAME", "greet") + "auth: {secrets: [SHOP_KEY]}\n")
    (project.root / "work").mkdir()
    (project.root / "work/__init__.py").write_text("")
    assert project("generate").code == 0
    return project


def configure(shop: Cli, old: str, new: str) -> None:
    """Replace a part of the configuration."""
    path = shop.root / "toolgen.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
