"""Servers of the npm registry behind a gateway: what clients of both protocol eras get is what the servers send."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from .conftest import PACKAGES, install

pytestmark = pytest.mark.conformance

VERSION = "2026.8.31"
SERVERS = ("everything", "filesystem", "memory")
SETTINGS = 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n'
SECONDS = 120
DATA = bytes(range(256)) * 40
ERAS = pytest.mark.parametrize("era", ["legacy", "auto"])
Answer = Callable[[Client], Awaitable[Any]]


@pytest.fixture(scope="module")
def packages(environment: dict[str, str]) -> dict[str, str]:
    """The environment, with the servers installed."""
    wanted = [f"@modelcontextprotocol/server-{name}@{VERSION}" for name in SERVERS]
    install("--ignore-scripts", *wanted, path=environment["PATH"])
    return environment


class Server:
    """A server that works in a folder, and a project in front of it."""

    def __init__(self, name: str, root: Path, environment: Mapping[str, str]) -> None:
        self.name, self.environment = name, dict(environment)
        self.files, self.project = root / "files", root / "project"
        self.reset()
        self.project.mkdir()
        (self.project / "toolgen.toml").write_text(SETTINGS)
        self._toolgen("import", "mcp", "--implement", "--", *self.command)
        self._toolgen("generate")

    def reset(self) -> None:
        """Let the server find what it found at first."""
        shutil.rmtree(self.files, ignore_errors=True)
        self.files.mkdir()
        (self.files / "logo.png").write_bytes(DATA)
        (self.files / "notes.txt").write_text("one\ntwo\n")

    @property
    def command(self) -> list[str]:
        """The command that starts the server itself."""
        path = f"{PACKAGES}/node_modules/@modelcontextprotocol/server-{self.name}/dist/index.js"
        argument = {"everything": "stdio", "filesystem": ".", "memory": ""}[self.name]
        folder = shlex.quote(str(self.files))
        script = (
            f"cd {folder} && MEMORY_FILE_PATH={folder}/memory.json exec node {shlex.quote(path)} {argument}"
        )
        return ["sh", "-c", script]

    def _toolgen(self, *words: str) -> None:
        command = [sys.executable, "-m", "toolgen", *words]
        done = subprocess.run(
            command, cwd=self.project, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def direct(self, **options: Any) -> Client:
        """Return a client of the server itself."""
        command, *words = self.command
        parameters = StdioServerParameters(command=command, args=words, env=self.environment)
        return Client(parameters, **options)

    def gateway(self, **options: Any) -> Client:
        """Return a client of the gateway."""
        arguments = ["-m", "generated.mcp_server"]
        parameters = StdioServerParameters(
            command=sys.executable, args=arguments, env=self.environment, cwd=self.project
        )
        return Client(parameters, **options)


@pytest.fixture(scope="module")
def made(packages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Server]:
    """A gateway in front of each server."""
    return {name: Server(name, tmp_path_factory.mktemp(name), packages) for name in SERVERS}


def call(name: str, /, **arguments: Any) -> Answer:
    """Return a function that calls a tool."""
    return lambda client: client.call_tool(name, arguments)


ENTITIES = [{"name": "ann", "entityType": "user", "observations": ["likes cups", "日本 ❤"]}]
REQUESTS: dict[str, list[Answer]] = {
    "everything": [
        call("echo", message="hello ❤"),
        call("get-tiny-image"),
        call("get-annotated-message", messageType="error", includeImage=True),
        call("get-resource-links", count=3),
        call("get-structured-content", location="Chicago"),
        call("get-resource-reference", resourceType="Text", resourceId=1),
        lambda client: client.list_resources(),
        lambda client: client.list_resource_templates(),
        lambda client: client.read_resource("demo://resource/static/document/features.md"),
        lambda client: client.read_resource("demo://resource/dynamic/nothing/1"),
        lambda client: client.get_prompt("args-prompt", {"city": "Rome"}),
        lambda client: client.get_prompt("args-prompt", {}),
        lambda client: client.complete(
            PromptReference(name="completable-prompt"), {"name": "department", "value": "E"}
        ),
        lambda client: client.complete(
            ResourceTemplateReference(uri="demo://resource/dynamic/text/{resourceId}"),
            {"name": "resourceId", "value": "1"},
        ),
    ],
    "filesystem": [
        call("read_text_file", path="notes.txt"),
        call("read_media_file", path="logo.png"),
        call("read_multiple_files", paths=["notes.txt", "missing.txt"]),
        call("write_file", path="new.txt", content="three ❤"),
        call("read_text_file", path="new.txt"),
        call("edit_file", path="new.txt", edits=[{"oldText": "three", "newText": "3"}]),
        call("search_files", path=".", pattern="**/*.txt"),
        call("read_text_file", path="/etc/passwd"),
    ],
    "memory": [
        call("create_entities", entities=ENTITIES),
        call("create_relations", relations=[{"from": "ann", "to": "cups", "relationType": "owns"}]),
        call("add_observations", observations=[{"entityName": "bob", "contents": ["is not there"]}]),
        call("read_graph"),
        call("search_nodes", query="kind"),
        lambda client: client.list_resources(),
        call("delete_entities", entityNames=["ann"]),
        call("read_graph"),
    ],
}


async def outcome(client: Client, ask: Answer) -> Any:
    """Return what a client gets, as JSON, without what is about the server that answers."""
    try:
        text = (await ask(client)).model_dump_json(by_alias=True)
        found: dict[str, Any] = json.loads(re.sub(r"\d+:\d\d:\d\d", "TIME", text))
    except MCPError as error:
        return error.error.model_dump(mode="json")
    meta = {
        key: value
        for key, value in (found.pop("_meta") or {}).items()
        if not key.startswith(("io.modelcontextprotocol/", "toolgen/"))
    }
    return {**found, "_meta": meta}


@ERAS
@pytest.mark.parametrize("name", SERVERS)
async def test_lists_and_results_are_those_of_the_server(
    made: dict[str, Server], name: str, era: str
) -> None:
    server = made[name]

    async def outcomes(opened: Client) -> list[Any]:
        server.reset()
        async with asyncio.timeout(SECONDS), opened as client:
            tools = (await client.list_tools()).tools
            listed = {tool.name: (tool.title, tool.description, tool.input_schema) for tool in tools}
            return [listed, *[await outcome(client, ask) for ask in REQUESTS[name]]]

    expected = await outcomes(server.direct(mode=era))
    found = await outcomes(server.gateway(mode=era))
    for number, pair in enumerate(zip(found, expected, strict=True)):
        assert pair[0] == pair[1], f"request {number}"
