"""`import fastmcp` of an `MCPServer`, the MCP SDK's own server: adopted, it lists and answers as before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.sources.mcp_client import limits

from tests.approval.test_serving import KEY, page_of, sign, write_approvers
from tests.cli.conftest import Cli
from tests.end_to_end.project import Project, text_of

from .comparing import compare, python, python_path

SETTINGS = 'implementations = "tools"\ntargets = ["mcp", "openai"]\n'
SHOP = '''\
"""A shop."""
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Resolve
from mcp_types import CallToolResult, Icon, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6260010000"
    "00050001a5f645400000000049454e44ae426082"
)
print("noise")


@asynccontextmanager
async def lifespan(server: Any) -> AsyncIterator[dict[str, int]]:
    yield {"bolt": 40}


mcp = MCPServer("Shop", instructions="Tools of a shop.", lifespan=lifespan)


class Line(BaseModel):
    """A line of an order."""

    sku: str
    quantity: Annotated[int, Field(ge=1)] = 1


class Order(BaseModel):
    number: int
    lines: list[Line]


class Store:
    def __init__(self, name: str) -> None:
        self.name = name

    async def where(self, shelf: int) -> list[str]:
        """Where is it?"""
        return [self.name, str(shelf)]


async def shelf_of(sku: str) -> str:
    return f"shelf of {sku}"


@mcp.tool()
def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


@mcp.tool(
    name="place-order", title="Place an order", meta={"team": "sales"}, icons=[Icon(src="https://e.com/i.png")],
    annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=False),
)
async def place_order(lines: list[Line], note: str | None = None) -> Order:
    """Order something."""
    return Order(number=7, lines=lines)


@mcp.tool()
async def stock(sku: str, ctx: Context) -> str:
    """Look up the stock."""
    await ctx.report_progress(1, 2)
    if sku not in ctx.request_context.lifespan_context:
        raise ToolError(f"no thing {sku}; call list_things first")
    return f"{ctx.request_context.lifespan_context[sku]} for {ctx.mcp_server.name}"


@mcp.tool()
def find(sku: str, shelf: Annotated[str, Resolve(shelf_of)]) -> str:
    """Find a thing."""
    return shelf


@mcp.tool(structured_output=False)
def chart() -> list[Any]:
    """Draw a chart."""
    return ["a chart", Image(data=PNG, format="png"), Audio(data=b"RIFF", format="wav")]


@mcp.tool()
def raw() -> CallToolResult:
    """Return a result of the protocol."""
    link = ResourceLink(uri="https://example.com/x", name="x")
    text = TextContent(text="hello", annotations={"priority": 0.5}, _meta={"a": 1})
    return CallToolResult(content=[text, link], structured_content={"n": 1}, _meta={"took": 3})


@mcp.tool()
def refuse() -> CallToolResult:
    """Return an error."""
    return CallToolResult(content=[TextContent(text="no"), TextContent(text="really")], is_error=True)


@mcp.tool()
def crash() -> int:
    """Crash."""
    return 1 // 0


@mcp.tool()
def forget(sku: str) -> None:
    """Forget a thing."""


store = Store("Main Street")
mcp.add_tool(store.where)
mcp.add_tool(lambda a: a + 7, name="add_seven", description="Add seven.")


@mcp.resource("shop://about")
def about() -> str:
    return "A shop."


@mcp.prompt()
def ask(topic: str) -> str:
    return f"What about {topic}?"


def helper(x: int) -> int:
    return x


if __name__ == "__main__":
    mcp.run()
'''
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add", {"a": 1}),
    ("add", {"a": 1, "b": 5}),
    ("place-order", {"lines": [{"sku": "bolt", "quantity": 3}, {"sku": "nut"}], "note": None}),
    ("stock", {"sku": "bolt"}),
    ("stock", {"sku": "gold"}),
    ("find", {"sku": "bolt"}),
    ("chart", {}),
    ("raw", {}),
    ("refuse", {}),
    ("crash", {}),
    ("forget", {"sku": "bolt"}),
    ("where", {"shelf": 4}),
    ("add_seven", {"a": "1"}),
]


@pytest.fixture
def shop(empty: Cli) -> Cli:
    """A project with a server."""
    (empty.root / "toolgen.toml").write_text(SETTINGS)
    (empty.root / "shop.py").write_text(SHOP)
    return empty


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that has imported the server and is generated, which tests copy."""
    project = Project(tmp_path_factory.mktemp("imported"))
    (project.root / "toolgen.toml").write_text(SETTINGS)
    (project.root / "shop.py").write_text(SHOP)
    project.toolgen("import", "fastmcp", "shop:mcp", "--implement")
    project.generate()
    return project


@pytest.fixture
def adopted(shop: Cli, imported: Project) -> Cli:
    """A project that has adopted its server."""
    shutil.copytree(imported.root, shop.root, dirs_exist_ok=True)
    return shop


def test_an_adopted_server_lists_and_answers_as_before(adopted: Cli) -> None:
    result = compare(adopted.root, "shop:mcp", CALLS)
    assert result.tools == [*dict(CALLS)]
    assert result.listing == []
    assert result.answers == []
    assert result.errors == 2 * 4
    assert result.blocks.keys() == {"text", "image", "audio", "resource_link"}


def test_other_parts_of_the_server_are_reported(shop: Cli) -> None:
    done = shop("import", "fastmcp", "shop:mcp", "--implement")
    assert "shop was imported in a child process, which ran its code (mcp 2." in done.err
    assert "served unchanged beside the tools, by the MCP server alone: 1 resource, 1 prompt\n" in done.err
    assert 'set this below `server` in the configuration:\n  name = "Shop"\n' in done.err
    assert sorted(path.stem for path in (shop.root / "specs").glob("*.yaml")) == sorted(dict(CALLS))


def test_implementations_name_the_server(adopted: Cli) -> None:
    assert (adopted.root / "tools" / "place_order.py").read_text() == (
        '"""place-order: a tool of the server shop.mcp, for specs/place-order.yaml."""\n'
        "\n"
        "from __future__ import annotations\n"
        "\n"
        "from toolgen.serving.adopted import MCPServerTool\n"
        "\n"
        "from generated.tools.place_order import PlaceOrderTool\n"
        "from shop import mcp as _mcp\n"
        "\n"
        "\n"
        "class PlaceOrder(MCPServerTool, PlaceOrderTool):\n"
        '    """toolgen finds this class by its base class; it may have any name."""\n'
        "\n"
        "    server = _mcp\n"
        '    listed_name = "place-order"\n'
    )


def test_sync_updates_specs_and_keeps_what_people_wrote(shop: Cli) -> None:
    shop("import", "fastmcp", "shop:mcp")
    path = shop.root / "specs" / "place-order.yaml"
    path.write_text(path.read_text().replace("errors:", "use_when: Always.\nerrors:"))
    (shop.root / "shop.py").write_text(SHOP.replace("Order something.", "Order a thing."))
    done = shop("import", "fastmcp", "shop:mcp", "--sync")
    assert done.code == 0, done.err
    spec = yaml.safe_load(path.read_text())
    assert spec["description"] == "Order a thing."
    assert spec["use_when"] == "Always."
    assert "place-order: updated description" in done.err


REFUSED = [
    (SHOP, "shop:add", "is a function, not a server"),
    (SHOP + "globals()['a; b'] = mcp\n", "shop:a; b", "cannot be the name of a server"),
    (SHOP + "other = MCPServer('b')\n", "shop", "several servers"),
    (SHOP + "raise SystemExit(3)\n", "shop:mcp", "importing shop failed: SystemExit"),
    (SHOP + "import os\nos._exit(4)\n", "shop:mcp", "ended its process (exit code 4)"),
]


def test_a_server_without_tools_is_refused(shop: Cli) -> None:
    """Specs are of tools, and a project needs one."""
    shutil.copy(Path(__file__).parent / "servers" / "mcp" / "github_explorer.py", shop.root)
    done = shop("import", "fastmcp", "github_explorer:mcp", "--implement")
    assert done.code == 2
    assert "github_explorer:mcp has no tools, only 1 resource template, 1 prompt" in done.err
    assert not (shop.root / "tools").exists()


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        REFUSED[0],
        *(pytest.param(*case, marks=pytest.mark.slow) for case in REFUSED[1:]),
    ],
)
def test_what_is_not_a_server_is_refused(shop: Cli, text: str, target: str, message: str) -> None:
    (shop.root / "shop.py").write_text(text)
    done = shop("import", "fastmcp", target, "--implement")
    assert done.code == 2
    assert message in done.err
    assert not (shop.root / "specs").exists()
    assert not (shop.root / "tools").exists()


@pytest.mark.slow
def test_a_module_that_runs_its_server_is_ended(shop: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TIME_LIMIT", 8.0)
    (shop.root / "shop.py").write_text(SHOP + "mcp.run('streamable-http', port=0)\n")
    done = shop("import", "fastmcp", "shop:mcp")
    assert done.code == 2
    assert "not imported within 8 seconds" in done.err


def test_other_adapters_get_the_same_data_and_texts(adopted: Cli) -> None:
    done = adopted.process("call", "stock", "--input", '{"sku": "bolt"}')  # with a Context, without a client
    assert '"result": "40 for Shop"' in done.out, done.err
    done = adopted.process("call", "stock", "--input", '{"sku": "gold"}')
    assert done.code == 1
    assert "[failed]: Error executing tool stock: no thing gold; call list_things first" in done.err


ASKING = """\
import asyncio, json, os, sys
sys.path.insert(0, ".")
from mcp.client import Client
from mcp_types import ElicitResult
from generated.mcp_server import build_server

progress = []


async def on_elicit(context, params):
    return ElicitResult(action="accept", content={"ok": True, "confirm": True})


async def on_progress(progress_now, total, message):
    progress.append([progress_now, total, message])


async def main():
    for mode in ("auto", "legacy"):
        async with Client(build_server(), mode=mode, elicitation_callback=on_elicit) as client:
            for name, arguments in json.load(open("calls.json")):
                try:
                    result = await client.call_tool(name, arguments, progress_callback=on_progress)
                except Exception as error:
                    print(json.dumps({"raised": str(error), "code": getattr(error, "error", error).code}))
                    continue
                print(json.dumps(result.model_dump(mode="json", by_alias=True, exclude_none=True)))
    print(json.dumps(progress))


asyncio.run(main())
"""


def answers(shop: Cli, calls: list[tuple[str, dict[str, Any]]], **variables: str) -> list[Any]:
    """Call the generated server in both eras; return what it answers, and the progress."""
    (shop.root / "calls.json").write_text(json.dumps(calls))
    (shop.root / "asking.py").write_text(ASKING)
    done = python(shop.root, "asking.py", **variables)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line != "noise"]


def test_errors_of_the_protocol_questions_and_progress_pass_through(shop: Cli) -> None:
    (shop.root / "shop.py").write_text(
        SHOP
        + """
from mcp.shared.exceptions import MCPError
from mcp.server.mcpserver.resolve import Elicit


class Choice(BaseModel):
    ok: bool


async def ask(sku: str) -> Choice | Elicit[Choice]:
    return Elicit(f"Drop {sku}?", Choice)


@mcp.tool()
def drop(sku: str, choice: Annotated[Choice, Resolve(ask)]) -> bool:
    '''Drop a thing.'''
    return choice.ok


@mcp.tool()
def gated() -> str:
    '''Refuse.'''
    raise MCPError(code=-32042, message="gated")
"""
    )
    assert shop("import", "fastmcp", "shop:mcp", "--implement").code == 0
    assert shop("generate").code == 0
    calls: list[tuple[str, dict[str, Any]]] = [
        ("gated", {}),
        ("drop", {"sku": "x"}),
        ("stock", {"sku": "bolt"}),
    ]
    *found, progress = answers(shop, calls)
    for gated, drop, stock in (found[:3], found[3:]):
        assert gated == {"raised": "gated", "code": -32042}
        assert drop["structuredContent"] == {"result": True}, drop
        assert stock["structuredContent"] == {"result": "40 for Shop"}
    assert progress == [[1, 2, None]] * 2


async def test_people_approve_calls_of_an_adopted_tool(adopted: Cli) -> None:
    path = adopted.root / "specs" / "add.yaml"
    path.write_text(f"{path.read_text()}confirm: {{message: Add?, proof: person}}\n")
    assert adopted("generate").code == 0
    project = Project(adopted.root, {"PYTHONPATH": python_path()})
    write_approvers(project, ann=KEY)
    async with project.stdio_client("auto") as client:
        assert await sign(page_of(await client.call_tool("add", {"a": 1}))) == 200
        assert text_of(await client.call_tool("add", {"a": 1})) == "3"
        page_of(await client.call_tool("add", {"a": 1}))


def test_what_the_spec_adds_counts_for_adopted_tools(adopted: Cli) -> None:
    def change(name: str, text: str) -> None:
        path = adopted.root / "specs" / f"{name}.yaml"
        path.write_text(path.read_text().replace("content: any\n", f"content: any\n{text}"))

    change("stock", "auth: {secrets: [SHOP_KEY]}\n")
    change("forget", "confirm: {message: 'Forget {sku}?'}\n")
    change("where", "timeout: 5\n")
    assert adopted("generate").code == 0
    calls: list[tuple[str, dict[str, Any]]] = [("stock", {"sku": "gold-12345"}), ("forget", {"sku": "bolt"})]
    *found, _ = answers(adopted, calls, SHOP_KEY="gold-12345")
    for stock, forget in (found[:2], found[2:]):
        assert stock["isError"]
        assert "gold-12345" not in json.dumps(stock)  # the text is no longer the tool's own
        assert "toolgen/confirmation" not in json.dumps(forget)
        assert forget["content"] == []
