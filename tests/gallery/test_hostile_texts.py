"""Any text in any text parameter gives a declared answer, never an internal error."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.store.database import database as database_of
from examples.tools import context
from generated import catalog
from tests.samples import sample
from tests.scopes import SCOPES

from .test_examples import TOOLS, agree

TEXTS = ["\ud800", "\0", "a\nb", "\u2028", "\x85", "-", "--", "..", "/", "~", "%s{0}", "{message}", "🚲"]
TEXTS += ["x" * 400, "'\"; DROP TABLE items; --", "$(id)", "a" * 150_000]


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of every text in the arguments."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*place, key))


def with_text(arguments: Any, place: tuple[Any, ...], text: str) -> Any:
    changed = copy.deepcopy(arguments)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = text
    return changed


@pytest.mark.parametrize("tool", sample(TOOLS, range(0, len(TOOLS), 3)), ids=lambda tool: tool["name"])
def test_any_text_in_any_parameter_has_a_declared_answer(tmp_path: Path, tool: dict[str, Any]) -> None:
    toolkit = catalog.toolkit(context=context(tmp_path))
    declared = {error["code"] for error in tool.get("errors", ())} | {"invalid_request"}

    async def try_all() -> set[str]:
        codes = set()
        for example in tool["examples"][:2]:
            for place in places(example["input"]):
                for text in TEXTS:
                    arguments = with_text(example["input"], place, text)
                    response = await toolkit.call(tool["name"], arguments, confirm=agree, scopes=SCOPES)
                    codes.add(response.error.code if response.error else "")
        return codes

    assert asyncio.run(try_all()) <= declared | {""}
    database = database_of(tmp_path).name
    assert {path.name for path in tmp_path.iterdir()} <= {database, "workspace"}, "nothing beside them"
