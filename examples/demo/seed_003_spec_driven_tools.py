"""Seed 003, spec-driven tools: specs and inputs that are checked, results in pieces, values from outside."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from toolgen.runtime import ToolContext, ToolError, Toolkit

from generated import catalog
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.sql_query import SqlQueryTool

from .narration import chapter, must, quote, step, tell
from .shop import SCOPES, Shop, as_json, data_of, refusal_of

WRONG_SPEC = """\
name: greet
description: Greet a person by name.
input_schema: {type: object, properties: {name: {type: text}}}
retruns: A greeting.
"""


class Paging(EchoTool):
    """echo that passes a cursor to the next call in extras."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        context.extras["page"] = context.extras.get("page", 0) + 1
        return EchoResponse(text=f"{request.text}, page {context.extras['page']}")


async def walk(shop: Shop) -> None:
    """Show this design with real calls."""
    chapter(
        "003",
        "Spec-driven tools",
        "Validated specs and inputs, streams, injected values, toolkits.",
    )
    await wrong_spec()
    check_inputs()
    await injected(shop)
    await stream(shop)
    await toolkit(shop)


async def wrong_spec() -> None:
    step("An invalid spec generates nothing; each error shows its line")
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "specs").mkdir()
        (project / "specs" / "greet.yaml").write_text(WRONG_SPEC)
        (project / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
        command = [sys.executable, "-m", "toolgen", "-C", folder, "generate"]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
        must(done.returncode == 2 and not (project / "generated").exists(), "nothing was generated")
    tell("the YAML", WRONG_SPEC)
    tell("ran", "toolgen generate")
    tell("answer", done.stderr)


def check_inputs() -> None:
    step("check_inputs returns the typed request, or reports every fault at once")
    request = SqlQueryTool.check_inputs({"query": "SELECT 1"})
    tell("checked", repr(request))
    try:
        SqlQueryTool.check_inputs({"limit": 0, "parameters": [True]})
    except ToolError as error:
        tell("refused", f"{error.code}: {error.message}")
    else:
        must(False, "an invalid request is refused")


async def injected(shop: Shop) -> None:
    step("The application injects the database, invisible to the model; without it, the answer is an error")
    quote("specs/sql_query.yaml", "- {name: reader")
    must("reader" not in as_json(catalog.TOOLS["sql_query"]["input_schema"]), "the model does not see it")
    sql = "SELECT sku, in_stock, reorder_point FROM items WHERE in_stock < reorder_point ORDER BY in_stock"
    rows = data_of(await shop.call("sql_query", {"query": sql, "limit": 3}))
    table = [rows["columns"], *rows["rows"]]
    tell("answer", "\n".join("  ".join(f"{cell:<13}" for cell in row).rstrip() for row in table))
    tell("", f"row_count {rows['row_count']}, truncated {rows['truncated']}")
    tell("answer", refusal_of(await shop.call("sql_query", {"query": "DELETE FROM items"}), "not_read_only"))
    response = await catalog.toolkit(context={}).call("sql_query", {"query": "SELECT 1"}, scopes=SCOPES)
    tell("no reader", response.as_text())


async def stream(shop: Shop) -> None:
    step("A result that is streamed in chunks")
    quote("specs/stream_lines.yaml", "stream:", 2)
    lines = ["Take the wheel off.", "Lift the tyre over the rim.", "Pull the tube out."]

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        tell(f"chunk {progress:g}", str(message))

    arguments = {"lines": lines, "pause_ms": 50}
    tell("call", f"stream_lines {as_json(arguments)}")
    whole = data_of(await shop.client.call_tool("stream_lines", arguments, progress_callback=hear))
    tell("answer", as_json(whole))


async def toolkit(shop: Shop) -> None:
    step("Tools of a toolkit by tag; extras reach the next call of a session")
    tags = shop.toolkit().tags
    tell("by tag", "\n".join(f"{tag}: {', '.join(names)}" for tag, names in sorted(tags.items())))
    session = Toolkit([Paging()]).session()
    said = [(await session.call("echo", {"text": "manuals"})).content["text"] for _ in range(2)]
    tell("extras", f"{said[0]}; {said[1]}")
