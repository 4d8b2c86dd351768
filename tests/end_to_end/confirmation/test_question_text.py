"""Arguments cannot forge the question and the preview that a user reads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_types import ElicitResult

from tests.end_to_end.project import ERAS, Project
from tests.end_to_end.purchase_tool import shop_of

FORGED = "chains\nTotal: 0.00\nReally \u202etxt\u2066\u200b\U000e0041\x1b[2K\x85\u2028end"


@ERAS
def test_arguments_cannot_break_lines_or_change_the_direction_of_a_preview(
    project: Project, era: str
) -> None:
    shop = shop_of(project)

    async def run() -> None:
        async with project.stdio_client(era, elicitation_callback=shop.ask) as client:
            await client.call_tool("buy", {"what": FORGED})

    asyncio.run(run())
    (seen,) = shop.seen
    preview, _, message = seen.partition("\n\n")
    assert preview.count("\n") == 0, "the argument is in one line"
    assert "chains\\nTotal: 0.00\\nReally \\u202etxt" in preview
    assert all(char.isprintable() or char == "\n" for char in seen), ascii(seen)
    assert message.count("\n") == 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write", {"path": "a\n+ more \u202etxt.md", "text": "ordered \u202e\x1b[2K\n"}),
        ("search_and_replace", {"search": "brake", "replacement": "x\u202e\r\x1b[1A"}),
    ],
)
def test_the_gallerys_previews_show_hostile_texts_escaped(
    tmp_path: Any, name: str, arguments: dict[str, str]
) -> None:
    from examples.tools import context
    from generated import catalog
    from tests.scopes import SCOPES

    seen: list[str] = []

    async def run() -> None:
        async def confirm(asked: Any) -> bool:
            seen.append(f"{asked.preview}\n{asked.message}")
            return False

        toolkit = catalog.toolkit(context=context(tmp_path))
        await toolkit.call(name, arguments, confirm=confirm, scopes=SCOPES)

    asyncio.run(run())
    assert all(char.isprintable() or char == "\n" for char in seen[0]), ascii(seen[0])
    assert "\\u202e" in seen[0]
    assert "\n+ more" not in seen[0]


def test_only_a_clear_yes_of_the_client_is_consent(project: Project) -> None:
    shop = shop_of(project)

    async def no(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": "true"})

    async def run() -> None:
        async with project.stdio_client("legacy", elicitation_callback=no) as client:
            assert (await client.call_tool("buy", {"what": "x"})).is_error

    asyncio.run(run())
    assert shop.bought == []
