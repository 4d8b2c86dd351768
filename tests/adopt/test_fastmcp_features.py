"""Resources, prompts and completions of an adopted FastMCP server, through the server that toolgen generates."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from tests.end_to_end.gateway.test_skills import files_of_skills
from tests.end_to_end.project import ERAS, Project, token_of

from .comparing import compare, python_path, toolgen

pytestmark = pytest.mark.bridges

SHOP = '''\
from contextlib import asynccontextmanager

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ResourceError
from fastmcp.prompts import Message
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.server.auth import require_scopes
from fastmcp.server.middleware import Middleware


class Count(Middleware):
    """Counts what is read."""

    reads = 0

    async def on_read_resource(self, context, call_next):
        Count.reads += 1
        if str(context.message.uri) == "shop://closed":
            raise ResourceError("closed by middleware")
        return await call_next(context)


@asynccontextmanager
async def lifespan(server):
    yield {"stock": {"bolt": 40}}


mcp = FastMCP("Shop", lifespan=lifespan, middleware=[Count()], list_page_size=2)


@mcp.resource("shop://about", title="About", mime_type="text/markdown", meta={"team": "a"}, tags={"x"})
def about() -> str:
    """About the shop."""
    return "# A shop"


@mcp.resource("shop://logo", mime_type="image/png")
def logo() -> bytes:
    return bytes(range(256))


@mcp.resource("shop://parts")
def parts() -> ResourceResult:
    return ResourceResult(
        [ResourceContent("one", mime_type="text/x-one", meta={"n": 1}), ResourceContent(b"\\x00", mime_type="a/b")],
        meta={"total": 2},
    )


@mcp.resource("shop://closed")
def closed() -> str:
    return "open"


@mcp.resource("shop://fails")
def fails() -> str:
    raise ValueError("secret text")


@mcp.resource("shop://stock/{sku}")
async def stock_of(sku: str, ctx: Context) -> str:
    return str(ctx.lifespan_context["stock"].get(sku))


@mcp.resource("shop://prices", auth=require_scopes("prices"))
def prices() -> str:
    return "1.00"


@mcp.resource("shop://extra", tags={"extra"})
def extra() -> str:
    return "extra"


mcp.disable(tags={"extra"})


@mcp.prompt(title="Ask")
def ask(topic: str, tone: str = "kind") -> list[Message]:
    """Ask about a topic."""
    return [Message(f"What about {topic}?"), Message(f"Let me be {tone}.", role="assistant")]


@mcp.prompt
def broken() -> str:
    raise ValueError("secret text")


@mcp.completion
def complete(ref, argument, context):
    return [each for each in ("kind", "curt") if each.startswith(argument.value)]


@mcp.tool
async def more(ctx: Context) -> str:
    """Show more resources in this session."""
    await ctx.enable_components(tags={"extra"})
    return str(Count.reads)


@mcp.tool
def stock(sku: str) -> str:
    """Look up the stock."""
    return sku


if __name__ == "__main__":
    mcp.run()
'''


SKILLS = """from pathlib import Path
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension

mcp = FastMCP("Shop")
provider = SkillsDirectoryProvider(Path(__file__).parent / "skills", experimental_skills=True)
mcp.add_provider(provider)
mcp.add_extension(SkillsExtension(providers=[provider]))


@mcp.tool
def find(text: str) -> str:
    return text
"""


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A project that has adopted the shop."""
    return adopted(tmp_path, SHOP)


def adopted(tmp_path: Path, server: str) -> Project:
    (tmp_path / "toolgen.toml").write_text('implementations = "tools"\ntargets = ["mcp"]\n')
    (tmp_path / "shop.py").write_text(server)
    for words in (("import", "fastmcp", "shop:mcp", "--implement"), ("generate",)):
        done = toolgen(tmp_path, *words)
        assert done.returncode == 0, done.stderr
    return Project(tmp_path, {"PYTHONPATH": python_path()})


def test_all_is_listed_and_answered_as_before(shop: Project) -> None:
    result = compare(shop.root, "shop:mcp", [("stock", {"sku": "bolt"}), ("more", {})], "stdio")
    assert result.is_equal, result
    assert result.requests >= 58


@ERAS
async def test_a_resource_with_its_own_auth_is_for_tokens_with_its_scope(shop: Project, era: str) -> None:
    tokens = shop.write_tokens(ada=["prices"], bob=["other"])

    async with shop.server("--auth-tokens", tokens, preloaded=False) as server:
        async with server.client(era, token_of("ada")) as client:
            assert (await client.read_resource("shop://prices")).contents[0].text == "1.00"
            assert (await client.read_resource("shop://stock/bolt")).contents[0].text == "40"
        async with server.client(era, token_of("bob")) as client:
            assert (await client.read_resource("shop://about")).contents[0].text == "# A shop"
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource("shop://prices")
            listed = [each.uri for each in (await client.list_resources()).resources]
            assert listed == ["shop://about", "shop://logo"]  # a page


async def test_skills_are_listed_and_read_as_before(tmp_path: Path) -> None:
    files = {"SKILL.md": "---\nname: triage\ndescription: Sort.\n---\nSee notes.md.\n", "notes.md": "One.\n"}
    (tmp_path / "skills/triage").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "skills/triage" / name).write_text(text)
    async with adopted(tmp_path, SKILLS).stdio_client("auto") as client:
        found = await files_of_skills(client)
    assert found == {f"skill://triage/{name}": text for name, text in files.items()}
