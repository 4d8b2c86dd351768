"""What toolgen is for, in a minute: `make demo`, or `python -m examples.demo` once the code is generated.

Everything is real: the generated MCP server in a process of its own, the official MCP client, the official
OpenAI client, a SQLite database. Only the person who confirms and the model behind the OpenAI API are played.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ElicitResult, TextContent

from examples.loopback import model_that_calls
from examples.store.database import DATA_VARIABLE

ROOT = Path(__file__).parent.parent
LONGEST_SECONDS = 60
WIDTH = 96
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ else ("", "")

ORDER: dict[str, Any] = {
    "supplier_id": 3,
    "location_id": 2,
    "order_number": "PO-2026-0005",
    "items": [{"sku": "CHN-11S", "quantity": 20}, {"sku": "CAS-1142", "quantity": 4, "unit_price": "59.90"}],
}


ONE_LINE = ORDER | {"items": ORDER["items"][:1]}


def heading(text: str) -> None:
    print(f"\n{BOLD}{text}{PLAIN}")


def tell(label: str, text: str) -> None:
    """A label and its text, long lines folded."""
    for line in text.splitlines():
        for part in textwrap.wrap(line, WIDTH, replace_whitespace=False) or [""]:
            print(f"  {label:<9}  {part}".rstrip())
            label = ""


def quote(tool: str, start: str, lines: int = 1) -> None:
    """Show `lines` lines of the tool's spec, from the one that begins with `start`."""
    text = (ROOT / "specs" / f"{tool}.yaml").read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(text) if line.strip().startswith(start)]
    must(bool(found), f"specs/{tool}.yaml has a line that begins with {start!r}")
    tell("the YAML", textwrap.dedent("\n".join(text[found[0] : found[0] + lines])))


class NotTrueError(Exception):
    """The story is not what it says."""


def must(holds: bool, what: str) -> None:
    """Stop with exit code 1 unless the story is true."""
    if not holds:
        raise NotTrueError(f"demo: this should be true and is not: {what}")


class User:
    """The person in front of the client, who is asked before anything is changed."""

    def __init__(self) -> None:
        self.agrees = True
        self.asked = 0

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        self.asked += 1
        tell("asked", params.message)
        tell("the user", "agrees" if self.agrees else "declines")
        if not self.agrees:
            return ElicitResult(action="decline")
        return ElicitResult(
            action="accept", content=dict.fromkeys(params.requested_schema["properties"], True)
        )


async def call(client: Client, name: str, arguments: dict[str, Any], shown: str = "") -> CallToolResult:
    """Call a tool through MCP, and show the call, or `shown` where it has been shown before."""
    tell("call", shown or f"{name} {json.dumps(arguments, ensure_ascii=False)}")
    return await client.call_tool(name, arguments)


def text_of(result: CallToolResult) -> str:
    """What a model would read."""
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


def data_of(result: CallToolResult) -> dict[str, Any]:
    """What a program would read; the call must have succeeded."""
    must(not result.is_error, f"the call succeeds, but it says: {text_of(result)}")
    data = result.structured_content
    must(isinstance(data, dict), "the result is a JSON object")
    return dict(data or {})


def refusal_of(result: CallToolResult, says: str) -> str:
    """The text of a refused call; it must hold `says`."""
    must(result.is_error is True and says in text_of(result), f"the call is refused with {says!r}")
    return text_of(result)


async def list_tools(client: Client) -> None:
    specs = sorted((ROOT / "specs").glob("[!.]*.yaml"))
    heading(f"1. {len(specs)} YAML files are {len(specs)} tools")
    tell("ran", "toolgen generate    (specs/ to generated/: types, server, adapters)")
    tell("running", "python -m generated.mcp_server    (over stdio)")
    tools = (await client.list_tools()).tools
    must(sorted(tool.name for tool in tools) == [spec.stem for spec in specs], "each spec is one tool")
    for tool in tools:
        hints = tool.annotations
        kind = "reads only" if hints and hints.read_only_hint else "makes changes"
        tell("listed", f"{tool.name:<26} {tool.title or '':<26} {kind}")


async def read(client: Client) -> None:
    heading("2. A search: what comes back has the promised shape")
    quote("search_content", "required: [items", 1)
    found = data_of(await call(client, "search_content", {"query": "e-bike battery winter"}))
    must(found["total"] >= 1, "the search finds something")
    tell("answer", f"{found['message']} Best: {found['items'][0]['title']}\n{found['items'][0]['url']}")

    heading("3. A question to the database, which the tool can only read")
    quote("sql_query", "annotations:")
    sql = "SELECT sku, in_stock, reorder_point FROM items WHERE in_stock < reorder_point ORDER BY in_stock"
    rows = data_of(await call(client, "sql_query", {"query": sql, "limit": 3}))
    must(rows["row_count"] == 3 and rows["truncated"], "three rows, and there are more")
    table = [rows["columns"], *rows["rows"]]
    tell("answer", "\n".join("  ".join(f"{cell:<13}" for cell in row).rstrip() for row in table))
    result = await call(client, "sql_query", {"query": "DELETE FROM items"})
    tell("answer", refusal_of(result, "not_read_only"))


async def refuse(client: Client) -> None:
    heading("4. A wrong request never reaches the code")
    quote("create_purchase_order", "required: [supplier_id")
    wrong = {"supplier_id": 0, "order_number": "5", "items": [], "urgent": True}
    tell("answer", refusal_of(await call(client, "create_purchase_order", wrong), "invalid_request"))

    heading("5. An error is part of the contract, with advice for the model")
    quote("create_purchase_order", "- code: supplier_not_found", 3)
    unknown = await call(client, "create_purchase_order", ONE_LINE | {"supplier_id": 99})
    tell("answer", refusal_of(unknown, "supplier_not_found"))


async def confirm(client: Client, user: User) -> None:
    heading("6. Nothing is ordered before the user agrees")
    quote("create_purchase_order", "confirm:", 4)
    asked = user.asked
    user.agrees = False
    declined = await call(client, "create_purchase_order", ORDER)
    tell("answer", refusal_of(declined, "declined"))
    must(await orders(client) == 4, "a declined order is not written")
    print()
    user.agrees = True
    placed = data_of(await call(client, "create_purchase_order", ORDER, "the same again"))
    must(user.asked == asked + 2, "the user is asked each time")
    must(placed["total_cost"] == "737.60", "20 x 24.90 + 4 x 59.90 = 737.60")
    must(await orders(client) == 5, "the order is written")
    tell("answer", f"{placed['message']}\nNext: {placed['next_actions'][0]}")


async def orders(client: Client) -> int:
    """How many orders the database holds."""
    query = {"query": "SELECT count(*) FROM purchase_orders"}
    rows = data_of(await client.call_tool("sql_query", query))["rows"]
    return int(rows[0][0])


async def compare(client: Client) -> None:
    heading("7. The same tool for OpenAI: same data, same errors")
    for name, arguments in (
        ("catalog_search", {"query": "bleeding hydraulic brakes", "limit": 1}),
        ("catalog_search", {"query": "?!"}),
    ):
        over_mcp = text_of(await call(client, name, arguments))
        over_openai = await through_openai(name, arguments)
        tell("MCP", textwrap.shorten(over_mcp, WIDTH, placeholder=" …"))
        tell("OpenAI", textwrap.shorten(over_openai, WIDTH, placeholder=" …"))
        must(over_mcp == over_openai, f"both adapters answer alike:\n{over_mcp}\n{over_openai}")
        tell("compared", "identical")


async def stream(client: Client) -> None:
    heading("8. A result that arrives in pieces")
    quote("stream_lines", "stream:", 2)
    lines = ["Take the wheel off.", "Lift the tyre over the rim.", "Pull the tube out."]
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)
        tell("piece", message or "")

    tell("call", f"stream_lines {json.dumps({'lines': lines})}")
    arguments = {"lines": lines, "pause_ms": 50}
    whole = data_of(await client.call_tool("stream_lines", arguments, progress_callback=hear))
    must(len(told) == len(lines), "each line came by itself")
    must(whole["lines"] == lines, "and all of them together at the end")
    tell("answer", f"{whole['line_count']} lines, the whole result")


async def fence(client: Client) -> None:
    heading("9. Files and commands that stay where they are")
    quote("execute", "annotations:")
    counted = await call(client, "execute", {"command": "wc", "arguments": ["-l", "notes/suppliers.md"]})
    tell("answer", data_of(counted)["stdout"])
    for arguments in (["README.md", "../shop.sqlite3"], ["--files0-from=README.md"]):
        result = await call(client, "execute", {"command": "wc", "arguments": arguments})
        code = "outside_workspace" if ".." in arguments[-1] else "not_allowed"
        tell("answer", refusal_of(result, code).splitlines()[0])


async def through_openai(name: str, arguments: dict[str, Any]) -> str:
    """The answer of a tool that a model called by the OpenAI API."""
    from generated.openai_tools import CHAT_TOOLS, execute_tool_call

    if find_spec("openai") is None:  # then the same call as plain data
        function = {"name": name, "arguments": json.dumps(arguments)}
        plain = {"id": "call_1", "type": "function", "function": function}
        return str((await execute_tool_call(plain))["content"])
    from openai import AsyncOpenAI

    with model_that_calls(name, arguments) as url:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as openai:
            history: list[Any] = [{"role": "user", "content": "Please look that up."}]
            tools: Any = CHAT_TOOLS
            first = await openai.chat.completions.create(model="played", messages=history, tools=tools)
            message = first.choices[0].message
            calls = message.tool_calls or []
            must(len(calls) == 1, "the model calls one tool")
            answer = await execute_tool_call(calls[0])
            history += [message.model_dump(exclude_none=True), answer]
            last = await openai.chat.completions.create(model="played", messages=history, tools=tools)
            must(last.choices[0].finish_reason == "stop", "the model accepts the answer")
    return str(answer["content"])


async def story() -> None:
    user = User()
    with tempfile.TemporaryDirectory() as data:
        os.environ[DATA_VARIABLE] = data
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "generated.mcp_server"], cwd=ROOT, env=dict(os.environ)
        )
        async with (
            asyncio.timeout(LONGEST_SECONDS),
            Client(server, elicitation_callback=user.answer) as client,
        ):
            await list_tools(client)
            await read(client)
            await refuse(client)
            await confirm(client, user)
            await compare(client)
            await stream(client)
            await fence(client)
    heading("All of this was checked as it was told.")
    tell("written", "specs/ and examples/tools/    by a person")
    tell("generated", "generated/    never edited, checked by CI")


def main() -> int:
    print(f"{BOLD}toolgen: one reviewed YAML file per tool; types, servers and checks are generated{PLAIN}")
    faults: list[str] = []
    try:
        asyncio.run(story())
    except* NotTrueError as group:  # a group, as the client runs tasks of its own
        faults += [str(error) for error in leaves(group)]
    except* TimeoutError:
        faults.append(f"demo: not finished after {LONGEST_SECONDS} seconds")
    sys.stdout.flush()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


if __name__ == "__main__":
    sys.exit(main())
