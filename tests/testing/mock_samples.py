"""Specs of a small shop, and calls of its mock."""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path
from typing import Any

from toolgen.runtime import ToolResponse
from toolgen.testing import mock_toolkit

ORDER = Path(__file__).with_name("mock_samples.yaml").read_text("utf-8")


def write_specs(folder: Path, **specs: str) -> Path:
    """Write a project with these specs, and return its folder."""
    (folder / "specs").mkdir(parents=True)
    (folder / "toolgen.toml").write_text("")
    for name, text in specs.items():
        (folder / "specs" / f"{name}.yaml").write_text(textwrap.dedent(text))
    return folder


def call(
    folder: Path, name: str, arguments: Any, *, mock: dict[str, Any] | None = None, **options: Any
) -> ToolResponse:
    """Call a tool of the mock of a project once."""
    toolkit = mock_toolkit(folder, **(mock or {}))
    return asyncio.run(toolkit.call(name, arguments, **options))


def how(response: ToolResponse) -> Any:
    """Return what a response says about the mock's answer."""
    return response.metadata.get("toolgen/mock")
