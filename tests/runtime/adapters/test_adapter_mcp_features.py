"""Resources, prompts and completions of other servers, served beside the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
from adapter_samples import toolkit
from mcp import Client
from mcp.server import Server, ServerRequestContext
from test_adapter_mcp import ERAS
from toolgen.runtime.adapters.mcp import build_server

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]


class Source:
    """A feature source with one text resource, by the handlers of a low-level server."""

    def __init__(self, name: str = "shop", **handlers: Any) -> None:
        self.name = name
        self.scopes: frozenset[str] = frozenset()
        self.timeout = 10.0
        self.closed = 0
        self.publish: Callable[[Any], None] | None = None
        self.server: Server[Any] = Server(
            name, **{"on_list_resources": self.list_resources, "on_read_resource": self.read, **handlers}
        )

    def capabilities(self, protocol_version: str | None) -> types.ServerCapabilities:
        return self.server.get_capabilities(protocol_version=protocol_version)

    async def answer(self, context: Context, params: Any) -> Any:
        entry = self.server.get_request_handler(context.method)
        assert entry is not None
        return await entry.handler(context, params)

    def listen(self, publish: Callable[[Any], None]) -> Callable[[], None]:
        self.publish = publish
        return lambda: None

    async def close(self) -> None:
        self.closed += 1

    async def list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        resources = [types.Resource(uri=f"{self.name}://about", name="about", mime_type="text/plain")]
        return types.ListResourcesResult(resources=resources)

    async def read(self, context: Context, params: Any) -> types.ReadResourceResult:
        text = types.TextResourceContents(uri=params.uri, text=f"This is {self.name}.", _meta={"a": 1})
        return types.ReadResourceResult(contents=[text])


def talk(era: str, work: Callable[[Client], Awaitable[T]], *sources: Source, **options: Any) -> T:
    """Return what `work` returns for a client of a server with these sources."""

    async def run() -> T:
        server = build_server(toolkit(), name="samples", features=sources)
        async with Client(server, mode=era, **options) as client:
            return await work(client)

    return asyncio.run(run())


@ERAS
def test_a_resource_is_listed_and_read_unchanged(era: str) -> None:
    source = Source()

    async def work(client: Client) -> Any:
        assert client.server_capabilities.prompts is None
        assert client.server_capabilities.completions is None
        listed = await client.list_resources()
        return listed.resources, await client.read_resource(listed.resources[0].uri)

    listed, read = talk(era, work, source)
    assert [(each.uri, each.mime_type) for each in listed] == [("shop://about", "text/plain")]
    assert (read.contents[0].text, read.contents[0].meta) == ("This is shop.", {"a": 1})
    assert source.closed == 1
