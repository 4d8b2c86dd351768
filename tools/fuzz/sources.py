"""Hostile servers and documents for `toolgen import`, which must end in time and print harmless text."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bombs.documents import write_project
from tests.bombs.limited_process import MEGABYTES
from tests.bombs.limited_process import run as run_limited
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.hostile_server import BEHAVIOURS, hostile_http
from tools.fuzz.planted import command
from tools.fuzz.project import Ran
from tools.fuzz.strings import fresh
from tools.fuzz.workers import Workers

PART = "sources"
WALL = 100.0  # seconds; an import itself stops after sixty
_SECONDS = 70.0  # of processor time; endless data is read until the limit
_AT_ONCE = 6
_KINDS = ("mcp command", "mcp url", "openapi url", "mcp file", "openai file", "openapi file")
_SERVER = [sys.executable, "-m", "tools.fuzz.hostile_server"]


def recipes(source: random.Random) -> list[dict[str, Any]]:
    """Return each behaviour over each transport, and documents with values of wrong types."""
    live = [{"kind": kind, "behaviour": name} for name in BEHAVIOURS for kind in _KINDS[:3]]
    files = [{"kind": kind, "document": _document(kind, source)} for kind in _KINDS[3:] for _ in range(8)]
    made = [*live, *files]
    source.shuffle(made)
    return made


def _document(kind: str, source: random.Random) -> str:
    """Return a source as text, valid except for one to three values."""
    if kind == "openapi file":
        tool: Any = {
            "operationId": "a",
            "summary": "x",
            "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
            "responses": {
                "200": {"description": "x", "content": {"application/json": {"schema": {"type": "object"}}}}
            },
        }
        document: Any = {
            "openapi": "3.1.0",
            "info": {"title": "x", "version": "1"},
            "servers": [{"url": "http://127.0.0.1:9"}],
            "paths": {"/a": {"get": tool}},
        }
    elif kind == "mcp file":
        document = {
            "tools": [
                {
                    "name": "a",
                    "description": "x",
                    "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}},
                    "annotations": {"title": "x"},
                    "icons": [{"src": "x"}],
                    "_meta": {"x": 1},
                }
            ]
        }
    else:
        document = [
            {
                "type": "function",
                "function": {"name": "a", "description": "x", "parameters": {"type": "object"}},
            }
        ]
    for _ in range(source.randint(1, 3)):
        document = _mutated(document, source)
    text = json.dumps(document)
    if source.random() < 0.3:  # duplicate keys, truncated, too large
        text = source.choice(
            (
                text[: source.randrange(len(text))],
                text + text,
                text.replace('{"', '{"name": "b", "', 1),
                "\ufeff" + text,
            )
        )
    return text


def _mutated(value: Any, source: random.Random) -> Any:
    odd: list[Any] = [
        None,
        True,
        -1,
        10**400,
        1.5e308,
        "",
        [],
        {},
        [[]],
        {"$ref": "#"},
        {"$ref": "/etc/passwd"},
        {"": {}},
        fresh(source),
        {fresh(source): fresh(source)},
        [fresh(source)] * 3,
    ]
    if isinstance(value, dict) and value and source.random() < 0.85:
        key = source.choice(list(value))
        return {**value, key: _mutated(value[key], source)}
    if isinstance(value, list) and value and source.random() < 0.85:
        at = source.randrange(len(value))
        return [*value[:at], _mutated(value[at], source), *value[at + 1 :]]
    return source.choice(odd)


@contextmanager
def _way(recipe: dict[str, Any], folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of `toolgen import`, with a running server if they need one."""
    kind, way = recipe["kind"].split()
    if way == "file":
        (folder / "source.json").write_text(recipe["document"], encoding="utf-8", errors="surrogatepass")
        yield (kind, "source.json")
    elif way == "command":
        root = Path(__file__).parents[2]
        yield (kind, "--stdio", f"env PYTHONPATH={root} {' '.join(_SERVER)} {recipe['behaviour']}")
    else:
        with hostile_http(recipe["behaviour"]) as url:
            yield (kind, url)


def try_recipe(recipe: dict[str, Any]) -> Tally:
    """Import from the source of a recipe, in a process with limits."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="toolgen-fuzz-") as name:
        folder = Path(name)
        write_project(folder)
        with _way(recipe, folder) as words:
            started = time.monotonic()
            done = run_limited(
                command("toolgen", "import", *words, "--into", "specs"),
                folder,
                seconds=_SECONDS,
            )
            took = time.monotonic() - started
    tally.counts["sources"] += 1
    tally.counts["refused with a diagnostic" if done.code == 2 else "imported"] += 1
    controls = Ran(done.code, done.out, done.err + done.out).controls()
    kind = None
    if done.code not in (0, 1, 2):
        kind = f"exit {done.code}"
    elif controls:
        kind = "terminal"
    elif took > WALL:
        kind = "time"
    elif done.megabytes > MEGABYTES:
        kind = "memory"
    if kind:
        shown = f"exit {done.code}, {took:.0f} s, {done.megabytes:.0f} MB, {controls}: {done.err[-800:]!a}"
        tally.findings.append(Finding(PART, kind, shown, recipe))
    return tally


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try the recipes, several at once because most of them wait, until the deadline or a finding."""
    tally = Tally()

    def one(recipe: dict[str, Any]) -> Tally:
        return Tally() if deadline.is_over or tally.findings else try_recipe(recipe)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for each in as_completed([pool.submit(one, recipe) for recipe in recipes(source)]):
            tally.add(each.result())
    tally.findings = [*{each.kind: each for each in tally.findings}.values()]
    return tally
