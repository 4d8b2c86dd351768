"""What `docs/stability.md` promises exists, and what is public is promised."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from toolgen.cli.parser import COMMANDS

PAGE = (Path(__file__).parent.parent / "docs/stability.md").read_text()


def row(name: str) -> set[str]:
    """The names in the row of the page that begins with `name`."""
    found = re.search(rf"^\| `{re.escape(name)}` \| (.*) \|$", PAGE, re.MULTILINE)
    assert found is not None, name
    return {word for word in re.findall(r"`([^`]+)`", found[1]) if word.isidentifier()}


def test_every_command_is_promised() -> None:
    _, _, commands = PAGE.partition("are promised:\n")
    assert re.findall(r"`(\w+)`", commands.split("\n\n")[0]) == list(COMMANDS)


@pytest.mark.parametrize("package", ["toolgen.runtime", "toolgen.serving.adopted", "toolgen.serving.bridges"])
def test_every_public_name_is_promised(package: str) -> None:
    assert row(package) == set(import_module(package).__all__)


@pytest.mark.parametrize(
    "module",
    ["catalog", "mcp_server", "openai_tools", "anthropic_tools", "gemini_tools", "bedrock_tools"],
)
def test_generated_modules_have_the_names_that_are_promised(module: str) -> None:
    generated = import_module(f"generated.{module}")
    assert {name for name in row(module) if not hasattr(generated, name)} == set()
