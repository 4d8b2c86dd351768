"""Arguments cannot forge the question and the preview that a user reads."""

from __future__ import annotations

from typing import Any

from mcp_types import ElicitResult

from tests.end_to_end.project import ERAS, Project
from tests.end_to_end.purchase_tool import shop_of

FORGED = "chains\nTotal: 0.00\nReally \u202etxt\u2066\u200b\U000e0041\x1b[2K\x85\u2028end"


@ERAS
async def test_arguments_cannot_break_lines_or_change_the_direction_of_a_preview(
    project: Project, era: str
) -> None:
    shop = shop_of(project)

    async with project.stdio_client(era, elicitation_callback=shop.ask) as client:
        await client.call_tool("buy", {"what": FORGED})
    (seen,) = shop.seen
    preview, _, message = seen.partition("\n\n")
    assert preview.count("\n") == 0, "the argument is in one line"
    assert "chains\\nTotal: 0.00\\nReally \\u202etxt" in preview
    assert all(char.isprintable() or char == "\n" for char in seen), ascii(seen)
    assert message.count("\n") == 0


async def test_only_a_clear_yes_of_the_client_is_consent(project: Project) -> None:
    shop = shop_of(project)

    async def no(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": "true"})

    async with project.stdio_client("legacy", elicitation_callback=no) as client:
        assert (await client.call_tool("buy", {"what": "x"})).is_error
    assert shop.bought == []
