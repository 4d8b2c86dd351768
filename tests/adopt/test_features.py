"""Resources, prompts and completions of an adopted `MCPServer`, through the server that toolgen generates."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from tests.end_to_end.project import NEWEST_ERA, HttpServer, Project, token_of
from tests.samples import sample

from .comparing import Call, compare

SHOP = '''\
"""A shop."""
import asyncio, json
from contextlib import asynccontextmanager

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import AssistantMessage, UserMessage
from mcp.server.mcpserver.resources import TextResource
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from mcp_types import (
    CallToolResult, Completion, TextContent,
)

seen = []


async def watch(ctx, call_next):
    seen.append(ctx.method)
    if (ctx.params or {}).get("uri") == "shop://secret":
        raise MCPError(code=-32043, message="not for you")
    if (ctx.params or {}).get("arguments", {}).get("sku") == "nothing":
        return CallToolResult(content=[TextContent(text="by middleware")], structured_content={"result": "x"})
    return await call_next(ctx)


@asynccontextmanager
async def lifespan(server):
    yield {"stock": {"bolt": 40}}


mcp = MCPServer("Shop", lifespan=lifespan, middleware=[watch])


@mcp.resource("shop://about", title="About", mime_type="text/markdown", meta={"team": "a"})
def about() -> str:
    """About the shop."""
    return "# A shop"


@mcp.resource("shop://logo", mime_type="image/png")
def logo() -> bytes:
    return bytes(range(256))


@mcp.resource("shop://stock/{sku}")
def stock_of(sku: str, ctx: Context) -> str:
    return str(ctx.request_context.lifespan_context["stock"][sku])


@mcp.resource("shop://refuses")
def refuses() -> str:
    raise ResourceError("closed today")


@mcp.resource("shop://secret")
def secret() -> str:
    return "secret"


@mcp.prompt(title="Ask")
def ask(topic: str, tone: str = "kind") -> list:
    """Ask about a topic."""
    return [UserMessage(f"What about {topic}?"), AssistantMessage(f"Let me be {tone}.")]


@mcp.completion()
async def complete(ref, argument, context):
    return Completion(values=[each for each in ("kind", "curt") if each.startswith(argument.value)], total=2)


@mcp.tool()
async def stock(sku: str, ctx: Context) -> str:
    """Look up the stock."""
    return str(ctx.request_context.lifespan_context["stock"].get(sku))


@mcp.tool()
async def methods() -> list[str]:
    """Say what the middleware has seen."""
    return sorted(set(seen))


@mcp.tool()
async def change(ctx: Context) -> str:
    """Change a resource, the prompts and the tools."""
    mcp.add_prompt(Prompt.from_function(lambda: "x", name="new"))
    mcp.add_tool(lambda: 1, name="added", description="Was added.")
    mcp.remove_tool("stock")
    await ctx.notify_resource_updated("shop://about")
    await ctx.notify_prompts_changed()
    await ctx.notify_tools_changed()
    return "changed"


if __name__ == "__main__":
    mcp.run()
'''
PACKAGE = "tools/_features/shop_mcp.py"


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project that has adopted the shop, which each test copies."""
    project = Project(tmp_path_factory.mktemp("adopted"))
    (project.root / "toolgen.toml").write_text('implementations = "tools"\ntargets = ["mcp"]\n')
    (project.root / "shop.py").write_text(SHOP)
    done = project.toolgen("import", "fastmcp", "shop:mcp", "--implement")
    assert done.returncode == 0, done.stderr
    served = "served unchanged beside the tools, by the MCP server alone: 4 resources, 1 resource template, 1 prompt"
    assert f"{served}\n" in done.stderr
    project.generate()
    return project.root


@pytest.fixture
def shop(adopted: Path, tmp_path: Path) -> Project:
    """A project that has adopted the shop."""
    return Project(Path(shutil.copytree(adopted, tmp_path, dirs_exist_ok=True)))


@pytest.mark.parametrize("options", sample([(), ("stdio",)], (0,)), ids=["objects", "processes"])
def test_all_is_listed_and_answered_as_before(shop: Project, options: tuple[str, ...]) -> None:
    calls: list[Call] = [("stock", {"sku": "bolt"}), ("stock", {"sku": "nothing"})]
    result = compare(shop.root, "shop:mcp", calls, *options)
    assert result.is_equal, result
    assert result.requests >= 56


async def _read(client: Client, uri: str) -> str:
    return str((await client.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]


@NEWEST_ERA
async def test_what_the_module_leaves_out_is_not_served(shop: Project, era: str) -> None:
    path = shop.root / PACKAGE
    path.write_text(path.read_text().replace('"resources", "prompts", "completions"', '"prompts"'))

    async with shop.stdio_client(era) as client:
        assert client.server_capabilities.completions is None
        assert [each.name for each in (await client.list_prompts()).prompts] == ["ask"]
        with pytest.raises(MCPError):
            await client.read_resource("shop://about")


async def test_a_module_that_does_not_load_takes_no_tool_down(shop: Project) -> None:
    (shop.root / PACKAGE).write_text("import nothing_of_this_name\n")

    async with shop.stdio_client("auto") as client:
        assert client.server_capabilities.prompts is None
        assert not (await client.call_tool("stock", {"sku": "bolt"})).is_error
    done = shop.python("-m", "generated.mcp_server", "--strict-start")
    assert done.returncode == 2
    assert "not started: tools._features.shop_mcp does not load, and --strict-start is set" in done.stderr


@NEWEST_ERA
async def test_middleware_of_the_server_runs_for_calls_and_for_resources(shop: Project, era: str) -> None:
    async with shop.stdio_client(era) as client:
        with pytest.raises(MCPError, match="not for you"):
            await client.read_resource("shop://secret")
        result = await client.call_tool("stock", {"sku": "nothing"})
        assert result.content[0].text == "by middleware"  # type: ignore[union-attr]
        await client.get_prompt("ask", {"topic": "x"})
        found = (await client.call_tool("methods", {})).structured_content
        assert found == {"result": ["prompts/get", "resources/read", "tools/call"]}
    done = shop.toolgen("call", "stock", "--input", '{"sku": "nothing"}')
    assert '"result": "x"' in done.stdout, done.stderr


async def test_new_prompts_show_and_tools_stay_as_imported(shop: Project) -> None:
    async def run(server: HttpServer) -> None:
        async with server.client("auto") as client:
            await client.call_tool("change", {})
            assert [each.name for each in (await client.list_prompts()).prompts] == ["ask", "new"]
            listed = [each.name for each in (await client.list_tools(cache_mode="refresh")).tools]
            assert listed == ["change", "methods", "stock"]
            gone = await client.call_tool("stock", {"sku": "bolt"})
            assert gone.is_error
            assert gone.content[0].text == "Unknown tool: stock"  # type: ignore[union-attr]
            assert (await client.call_tool("methods", {})).is_error is False

    async with shop.server() as server:
        await run(server)
        assert "the server has no tool stock any more" in server.log


@NEWEST_ERA
async def test_tokens_of_toolgen_guard_an_adopted_server_over_http(shop: Project, era: str) -> None:
    tokens = shop.write_tokens(ada=["shop.read"], bob=["other"])
    path = shop.root / PACKAGE
    path.write_text(path.read_text().replace('"completions"]', '"completions"], scopes=["shop.read"]'))

    async with shop.server("--auth-tokens", tokens) as server:
        async with httpx2.AsyncClient() as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
            answer = await http.post(server.url, json=body, headers={"Accept": "application/json"})
            assert answer.status_code == 401
        async with server.client(era, token_of("ada")) as client:
            assert await _read(client, "shop://about") == "# A shop"
            assert await _read(client, "shop://stock/bolt") == "40"
            assert (await client.call_tool("stock", {"sku": "bolt"})).structured_content == {"result": "40"}
        async with server.client(era, token_of("bob")) as client:
            assert (await client.list_resources()).resources == []
            assert (await client.list_prompts()).prompts == []
            for work in (client.read_resource("shop://about"), client.get_prompt("ask", {"topic": "x"})):
                with pytest.raises(MCPError, match=r"needs the scopes: shop\.read"):
                    await work
            assert (await client.call_tool("stock", {"sku": "bolt"})).structured_content == {"result": "40"}


BANK = """\
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

mcp = MCPServer("Bank")


@mcp.resource("bank://about")
def about() -> str:
    return "A bank"


@mcp.prompt()
async def transfer(ctx: Context) -> str | InputRequiredResult:
    if ctx.input_responses is None:
        schema = {"type": "object", "properties": {"to": {"type": "string"}}}
        asked = ElicitRequest(params=ElicitRequestFormParams(message="To whom?", requested_schema=schema))
        return InputRequiredResult(input_requests={"to": asked}, request_state="state")
    return f"Transfer to {ctx.input_responses['to'].content['to']} ({ctx.request_state})"


@mcp.tool()
def balance() -> int:
    return 7
"""


async def test_a_prompt_that_asks_the_user_gets_the_answer_and_its_state(shop: Project) -> None:
    (shop.root / "bank.py").write_text(BANK)
    done = shop.toolgen("import", "fastmcp", "bank:mcp", "--implement")
    assert done.returncode == 0, done.stderr
    shop.generate()

    async def answer(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"to": "Ada"})

    async with shop.stdio_client("auto", elicitation_callback=answer) as client:
        prompt = await client.get_prompt("transfer", {})
        found = str(prompt.messages[0].content.text)
    assert found == "Transfer to Ada (state)"
