"""Import, generate and serve the servers of a corpus; compare `tools/list` with the source."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client

from tools.corpus.generated_values import measure_tool
from tools.corpus.mocks import MockScore, measure_mocks
from tools.corpus.project import FailedError, Project, project
from tools.corpus.score import Score

KEYS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta")
ERAS = ("auto", "legacy")


class _Page(types.PaginatedResult):
    """A `tools/list` result with all keys; the SDK's own class drops unknown keys of annotations."""

    tools: list[dict[str, Any]]


def measure_mcp(path: Path, mocks: MockScore | None = None) -> tuple[Score, Score]:
    """Import, generate and serve every server in `path`: one tool per line, its server under `source`.

    The tools are counted in `mocks` as well, if that is given.
    """
    servers: dict[str, list[dict[str, Any]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            tool = json.loads(line)
            servers.setdefault(str(tool.pop("source", path.stem)), []).append(tool)
    score, made_up = Score(path.name), Score(f"{path.name}: generated instances")
    for number, (server, tools) in enumerate(servers.items()):
        _measure((score, made_up), server, tools, f"corpus_mcp_{number}", mocks=mocks)
    return score, made_up


def _measure(
    scores: tuple[Score, Score],
    server: str,
    tools: Sequence[dict[str, Any]],
    package: str,
    *,
    mocks: MockScore | None,
) -> None:
    score, made_up = scores
    score.tools += len(tools)
    with project(package) as made:
        try:
            score.notes += made.take("mcp", tools)
        except FailedError as error:
            for tool in tools:
                score["imported"].note(f"{server}: {tool['name']}", str(error))
                score["published identical"].note(f"{server}: {tool['name']}", "not generated")
            return
        found_in = [_by_name(_tried(made, era, server)) for era in ERAS]
        exported = _by_name(made.export())
        for tool in tools:
            where = f"{server}: {tool['name']}"
            score["imported"].note(where, None if tool["name"] in exported else "not there")
            found = [
                *(difference(tool, tools_of_era.get(tool["name"]), KEYS) for tools_of_era in found_in),
                difference(tool, exported.get(tool["name"]), tuple(tool)),
            ]
            ways = ", ".join(
                f"{way} {lost}" for way, lost in zip((*ERAS, "export"), found, strict=True) if lost
            )
            score["published identical"].note(where, ways or None)
        if mocks is not None:
            measure_mocks(mocks, made.root, server)
        catalog = made.module("catalog")
        for name in catalog.TOOLS:
            measure_tool(made_up, catalog.tool_class(name), f"{server}: {name}")


def _tried(made: Project, era: str, server: str) -> list[dict[str, Any]]:
    """Return the tools that a client lists; none, and the reason on stderr, if it refuses the whole list."""
    try:
        return listed(made.module("mcp_server").build_server(), era)
    except Exception as error:  # of the SDK's client, in nested groups; the run continues with other servers
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        print(f"{server}, {era}: the client refuses the list: {error}", file=sys.stderr)
        return []


def listed(server: Any, era: str) -> list[dict[str, Any]]:
    """Return the tools that a client lists, all pages, with all keys."""

    async def ask() -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = []
        async with Client(server, mode=era) as client:
            cursor = None
            while True:
                request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
                page = await client.session.send_request(request, _Page)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    return tools

    return asyncio.run(ask())


def _by_name(tools: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in tools}


def difference(source: Mapping[str, Any], found: Mapping[str, Any] | None, keys: Sequence[str]) -> str:
    """Return the keys that differ as JSON, including key order in schemas; null equals absence."""
    if found is None:
        return "is not listed"
    lost = [key for key in keys if not _same(key, source, found)]
    return f"differs in {', '.join(lost)}" if lost else ""


def _same(key: str, source: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    one, other = source.get(key), found.get(key)
    if key in ("inputSchema", "outputSchema"):
        return json.dumps(one) == json.dumps(other)
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
