"""Resources, prompts and completions of other servers, served beside the tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import mcp_types as types
import pytest
from adapter_samples import toolkit
from mcp import Client
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from test_adapter_mcp import ERAS
from toolgen.runtime.settings import SettingError
from toolgen.serving import build_server
from toolgen.serving.features import load_features
from toolgen.serving.uri_templates import matches

Context = ServerRequestContext[Any, Any]


class Source:
    """A feature source with one text resource, by the handlers of a low-level server."""

    def __init__(self, name: str = "shop", **handlers: Any) -> None:
        self.name = name
        self.scopes: frozenset[str] = frozenset()
        self.timeout = 10.0
        self.closed = 0
        self.server: Server[Any] = Server(
            name, **{"on_list_resources": self.list_resources, "on_read_resource": self.read, **handlers}
        )

    @property
    def serves(self) -> frozenset[str]:
        announced = self.server.get_capabilities().model_dump(exclude_none=True)
        return frozenset({"prompts", "resources", "completions"} & announced.keys())

    async def answer(self, context: Context, params: Any) -> Any:
        entry = self.server.get_request_handler(context.method)
        assert entry is not None
        return await entry.handler(context, params)

    async def close(self) -> None:
        self.closed += 1

    async def list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        resources = [types.Resource(uri=f"{self.name}://about", name="about", mime_type="text/plain")]
        return types.ListResourcesResult(resources=resources)

    async def read(self, context: Context, params: Any) -> types.ReadResourceResult:
        text = types.TextResourceContents(uri=params.uri, text=f"This is {self.name}.", _meta={"a": 1})
        return types.ReadResourceResult(contents=[text])


@asynccontextmanager
async def connected(era: str, *sources: Source) -> AsyncIterator[Client]:
    """Connect to a server with these sources."""
    server = build_server(toolkit(), name="samples", features=sources)
    async with Client(server, mode=era) as client:
        yield client


async def failing(request: Awaitable[Any]) -> Any:
    """Return the error with which a request is answered."""
    with pytest.raises(MCPError) as caught:
        await request
    return caught.value.error


async def text_of(client: Client, uri: str) -> str:
    """Return the text of a resource."""
    content: Any = (await client.read_resource(uri)).contents[0]
    return str(content.text)


@ERAS
async def test_a_resource_is_listed_and_read_unchanged(era: str) -> None:
    source = Source()
    async with connected(era, source) as client:
        assert client.server_capabilities.prompts is None
        assert client.server_capabilities.completions is None
        (listed,) = (await client.list_resources()).resources
        (read,) = (await client.read_resource(listed.uri)).contents
    assert (listed.uri, listed.mime_type) == ("shop://about", "text/plain")
    assert (read.text, read.meta) == ("This is shop.", {"a": 1})  # type: ignore[union-attr]
    assert source.closed == 1


@ERAS
async def test_a_source_that_exits_or_hangs_ends_no_other_request(era: str) -> None:
    async def read(context: Context, params: Any) -> Any:
        if params.uri == "shop://exit":
            raise SystemExit(3)
        if params.uri == "shop://cancel":
            raise asyncio.CancelledError
        await asyncio.Event().wait()

    source = Source(on_read_resource=read)
    source.timeout = 0.05
    async with connected(era, source) as client:
        for uri in ("shop://exit", "shop://cancel", "shop://hang"):
            error = await failing(client.read_resource(uri))
        assert error.message == "resources/read of shop did not finish within 0.05 seconds."
        assert [each.name for each in (await client.list_resources()).resources] == ["about"]


@ERAS
async def test_a_result_over_the_limit_is_refused(era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGEN_MAX_RESULT_BYTES", "1000")

    async def read(context: Context, params: Any) -> types.ReadResourceResult:
        text = types.TextResourceContents(uri=params.uri, text="x" * int(params.uri[-3:]))
        return types.ReadResourceResult(contents=[text])

    async with connected(era, Source(on_read_resource=read)) as client:
        assert (await client.read_resource("shop://500")).contents
        error = await failing(client.read_resource("shop://990"))
    assert error.code == types.INTERNAL_ERROR
    assert error.message.endswith("bytes; the limit is 1000.")


@ERAS
async def test_pages_of_a_source_are_passed_on(era: str) -> None:
    async def listed(context: Context, params: Any) -> types.ListResourcesResult:
        number = int(params.cursor or 0)
        resource = types.Resource(uri=f"shop://{number}", name=str(number))
        return types.ListResourcesResult(
            resources=[resource], next_cursor=str(number + 1) if number < 2 else None
        )

    async def pages(*sources: Source) -> list[Any]:
        found: list[Any] = []
        async with connected(era, *sources) as client:
            while not found or found[-1][1] is not None:
                page = await client.list_resources(cursor=found[-1][1] if found else None)
                found += [(each.uri, page.next_cursor) for each in page.resources]
        return found

    source = Source(on_list_resources=listed)
    assert await pages(source) == [("shop://0", "1"), ("shop://1", "2"), ("shop://2", None)]
    both = await pages(source, Source("bank"))
    assert [uri for uri, _ in both] == ["shop://0", "shop://1", "shop://2", "bank://about"]


@ERAS
async def test_requests_go_to_the_source_that_lists_their_resource(era: str) -> None:
    async def templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(uri_template="bank://{account}/{year}", name="a")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    bank = Source("bank", on_list_resource_templates=templates)
    async with connected(era, Source("shop"), bank) as client:
        texts = [await text_of(client, uri) for uri in ("bank://about", "shop://about", "bank://7/2026")]
        error = await failing(client.read_resource("file:///etc/passwd"))
    assert texts == ["This is bank.", "This is shop.", "This is bank."]
    assert error.message == "No server behind this one has it."


@ERAS
async def test_two_sources_that_list_one_name_are_reported(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def listed(context: Context, params: Any) -> types.ListResourcesResult:
        uris = ("shop://about", "evil://x")
        return types.ListResourcesResult(resources=[types.Resource(uri=uri, name="evil") for uri in uris])

    async with connected(era, Source(), Source("evil", on_list_resources=listed)) as client:
        uris = [each.uri for each in (await client.list_resources()).resources]
        assert await text_of(client, "shop://about") == "This is shop."
    assert uris == ["shop://about", "evil://x"]
    clashes = [each.getMessage() for each in caplog.records if "another server has" in each.getMessage()]
    assert clashes == ['evil lists "shop://about", which another server has: it is not served']


@ERAS
async def test_a_source_with_scopes_is_for_callers_who_have_them(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source()
    source.scopes = frozenset({"shop.read"})

    async with connected(era, source) as client:
        assert (await client.list_resources()).resources == []
        error = await failing(client.read_resource("shop://about"))
    assert error.message == "resources/read needs the scopes: shop.read"
    monkeypatch.setenv("TOOLGEN_SCOPES", "shop.read")
    async with connected(era, source) as client:
        assert len((await client.list_resources()).resources) == 1
        assert await text_of(client, "shop://about") == "This is shop."


async def test_what_a_known_caller_reads_is_in_no_shared_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(context: Context, params: Any) -> types.ReadResourceResult:
        text = types.TextResourceContents(uri=params.uri, text="x")
        return types.ReadResourceResult(contents=[text], ttl_ms=5, cache_scope="public")

    for scope in ("public", "private"):
        async with connected("auto", Source(on_read_resource=read)) as client:
            assert (await client.read_resource("shop://about")).cache_scope == scope
        monkeypatch.setenv("TOOLGEN_SCOPES", "anything")


@pytest.mark.parametrize(
    ("template", "uri", "expected"),
    [
        ("a://{b}", "a://b/c", True),
        ("a://{b}", "b://b", False),
        ("a://{b}/d", "a:///d", True),
        ("a{b", "a{b", True),
    ],
)
def test_templates_match_without_a_regular_expression(template: str, uri: str, expected: bool) -> None:
    assert matches(template, uri) is expected


@ERAS
async def test_prompts_and_completions_go_to_the_source_that_lists_the_prompt(era: str) -> None:
    def prompts(name: str) -> dict[str, Any]:
        async def listed(context: Context, params: Any) -> types.ListPromptsResult:
            return types.ListPromptsResult(prompts=[types.Prompt(name=name)])

        async def get(context: Context, params: Any) -> types.GetPromptResult:
            return types.GetPromptResult(description=f"{params.name} of {name}", messages=[])

        async def complete(context: Context, params: Any) -> types.CompleteResult:
            return types.CompleteResult(completion=types.Completion(values=[name]))

        return {"on_list_prompts": listed, "on_get_prompt": get, "on_completion": complete}

    sources = Source("shop", **prompts("shop")), Source("bank", **prompts("bank"))
    async with connected(era, *sources) as client:
        reference = types.PromptReference(name="bank")
        completed = await client.complete(reference, {"name": "x", "value": ""})
        assert completed.completion.values == ["bank"]
        assert (await failing(client.get_prompt("nothing"))).code == types.INVALID_PARAMS
        assert (await client.get_prompt("bank")).description == "bank of bank"


@dataclass(frozen=True)
class Catalog:
    IMPLEMENTATIONS: str
    TOOLS: ClassVar[dict[str, Any]] = {}

    def tool_class(self, name: str) -> Any:
        raise KeyError(name)


def write_sources(folder: Path, monkeypatch: pytest.MonkeyPatch, **texts: str) -> Catalog:
    """Write modules in `_features` of a package of implementations."""
    package = f"impl_{folder.name}"
    (folder / package / "_features").mkdir(parents=True)
    for name, text in texts.items():
        (folder / package / "_features" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    return Catalog(package)


def test_sources_are_found_in_the_implementations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    texts = {"b": "features = 'b'", "a": "features = 'a'", "exits": "exit()", "empty": "", "wrong": "1 +"}
    catalog = write_sources(tmp_path, monkeypatch, **texts)
    assert load_features(catalog, strict=False) == ["a", "b"]
    failed = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert failed == [
        f"{catalog.IMPLEMENTATIONS}._features.{name} is not served: it does not load"
        for name in ("empty", "exits", "wrong")
    ]
    with pytest.raises(SettingError, match="empty does not load, and --strict-start is set"):
        load_features(catalog, strict=True)
