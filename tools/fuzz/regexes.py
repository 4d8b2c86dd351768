"""Patterns that are slow in backtracking engines: no call, refused or not, may block the event loop."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import plant
from tools.fuzz.project import project
from tools.fuzz.workers import Workers

PART = "regexes"
MOST_SECONDS = 2.0  # of processor time for one call, refused or not
_LENGTH = 30_000  # length of the longest text that is tried
_BATCH = 12
_ROOT = Path(__file__).parents[2]
_FAMILIES = (
    "^(a+)+$",
    "^(?:a(?=a*))*$",
    "^(?:a(?=.*$))*b$",
    "^(?:a*+b|a)*$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^([a-zA-Z]+)*$",
    "^(.*a){20}$",
    "^(a?){30}a{30}$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "^(\\d+)*$",
    "^(\\s+)+$",
    "(a*)*b",
    "((a*)*)*$",
    "^(?=(a+)+$)",
    "(?<=(a+)+)b",
    "^(a+)\\1+$",
    "^(?:(?:a|b)*)*c$",
    "\\w*\\w*\\w*\\w*\\w*!",
    "^(a{1,50}){1,50}$",
    "^[\\s\\S]*[\\s\\S]*[\\s\\S]*x$",
    "^(?!.*(a+)+b)",
    "^(([^@]+)+)@$",
    "(.+)+\\n",
    "^(é|\\u00e9)*$",
    "\\p{L}+\\p{L}+\\p{L}+$",
)
_PARTS = (
    "a",
    "a+",
    "(a|b)*",
    "[a-z]+",
    ".*",
    "\\d*",
    "(?:a?){9}",
    "(?=a*)",
    "(?:a(?=a*))*",
    "(?:a*+b|a)*",
    "\\1",
    "(a+)+",
    "\\w+",
    "(?!b)",
    "a{2,9}",
    "(a|a)*",
    "$",
    "^",
    "\\b",
)
_PLACES = ("pattern", "patternProperties", "propertyNames", "anyOf", "items")


def patterns(source: random.Random) -> list[str]:
    """Return known families of patterns, and combinations."""
    made = ["".join(source.choices(_PARTS, k=source.randint(2, 7))) for _ in range(_BATCH // 2)]
    return [*source.sample(_FAMILIES, _BATCH // 2), *made]


def _schema(place: str, pattern: str) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string", "pattern": pattern}
    inner: dict[str, Any] = {
        "pattern": text,
        "patternProperties": {
            "type": "object",
            "patternProperties": {pattern: {"type": "integer"}},
            "additionalProperties": False,
        },
        "propertyNames": {"type": "object", "propertyNames": text},
        "anyOf": {"anyOf": [text, {"type": "array", "items": text}]},
        "items": {"type": "array", "items": text},
    }[place]
    return {"type": "object", "required": ["x"], "properties": {"x": inner}}


def try_patterns(recipe: list[list[str]]) -> Tally:
    """Generate a tool for each pattern and call it with texts that almost match."""
    tally = Tally()
    with project() as here:
        for number, (place, pattern) in enumerate(recipe):
            spec = {"name": f"t{number}", "description": "x", "input_schema": _schema(place, pattern)}
            here.write(f"specs/t{number}.yaml", json.dumps(spec))
        ran = here.toolgen("generate", "--format", "json")
        if ran.code == 2:
            files = {fault.get("file") for fault in ran.data()["diagnostics"]}
            for number in range(len(recipe)):
                if f"specs/t{number}.yaml" in files:
                    (here.root / f"specs/t{number}.yaml").unlink()
                    tally.counts["diagnosed"] += 1
                    if len(recipe) == 1:
                        return tally
            ran = here.toolgen("generate", "--format", "json")
        if ran.code not in (0, 2):
            tally.findings.append(Finding(PART, f"exit {ran.code}", ran.err[-800:], recipe))
            return tally
        if ran.code == 2:
            return tally
        done = subprocess.run(
            [sys.executable, "-m", "tools.fuzz.regexes", str(here.root)],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if done.returncode != 0:
        tally.findings.append(Finding(PART, "broken", done.stderr[-1500:], recipe))
        return tally
    for name, seen in json.loads(done.stdout).items():
        pair = recipe[int(name[1:])]
        tally.counts["calls"] += seen["calls"]
        tally.counts["patterns"] += 1
        if seen["seconds"] > MOST_SECONDS:
            tally.findings.append(
                Finding(PART, "time", f"{pair}: {seen['seconds']:.1f} s for {seen['slowest']}", [pair])
            )
    return tally


def values(place: str) -> list[Any]:
    """Return arguments that almost match."""
    texts = [char * size + end for char in "a1 é" for size, end in ((40, "!"), (3_000, "!"), (_LENGTH, "\n"))]
    texts.append("ab" * 2_000 + "@")
    if place == "object":
        return [{text: "x"} for text in texts]
    return [*texts, texts]


def measure(folder: Path) -> dict[str, Any]:
    """Call every tool of a project; return the processor time of its slowest call, by name."""
    import asyncio
    import importlib
    import time

    sys.path.insert(0, str(folder))
    catalog = importlib.import_module("generated.catalog")
    from toolgen.runtime import Toolkit

    async def execute(self: Any, request: Any, context: Any) -> Any:
        return "done"

    async def all_of(name: str) -> dict[str, Any]:
        tool = type("Fuzzed", (catalog.tool_class(name),), {"execute": execute})()
        kind = catalog.TOOLS[name]["input_schema"]["properties"]["x"].get("type")
        seen: dict[str, Any] = {"seconds": 0.0, "slowest": "", "calls": 0}
        toolkit = Toolkit([tool])
        await toolkit.call(name, {"x": 1})  # compiles the schema
        for value in values(kind):
            started = time.process_time()
            await toolkit.call(name, {"x": value})
            took = time.process_time() - started
            seen["calls"] += 1
            if took > seen["seconds"]:
                seen.update(seconds=took, slowest=ascii(value)[:60])
        await toolkit.close()
        return seen

    return {name: asyncio.run(all_of(name)) for name in catalog.TOOLS}


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try patterns in every place until the deadline, known families first."""
    batches = ([[source.choice(_PLACES), pattern] for pattern in patterns(source)] for _ in count())
    return workers.search(try_patterns, batches, deadline)


if __name__ == "__main__":
    plant()
    print(json.dumps(measure(Path(sys.argv[1]))))
