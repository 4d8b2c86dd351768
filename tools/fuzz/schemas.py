"""Expensive schemas of mixed families and random sizes: each must end in a diagnostic or success, in time."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from tests.bombs.documents import write_project, write_source
from tests.bombs.families import FAMILIES, Schema, nested, ref, stepwise
from tests.bombs.limited_process import MEGABYTES, SECONDS
from tests.bombs.limited_process import run as run_limited
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import command
from tools.fuzz.workers import Workers

PART = "schemas"
_VERBS = ("generate", "generate", "check", "mcp", "openai", "openapi")
_TRIES = 12  # attempts to make a reproduction smaller
_LENGTHS = (39, 41, 99, 101, 500, 1_000, 3_000)  # beside the limits of the budget, and far beyond
_MOST_REFERENCES = 20_000  # the size of the text must not be the reason

# A step of a diamond: how a definition uses the next one. `n` is how often.
_STEPS: dict[str, Callable[[Schema, int], Schema]] = {
    "anyOf": lambda to, n: {"anyOf": [to] * n},
    "allOf": lambda to, n: {"allOf": [to] * n},
    "oneOf": lambda to, n: {"oneOf": [to] * n},
    "ref": lambda to, n: {**to, "anyOf": [to] * n},
    "not": lambda to, n: {"not": {"anyOf": [to] * n}},
    "if": lambda to, n: {"if": to, "then": to, "else": to},
    "properties": lambda to, n: {"type": "object", "properties": {f"p{i}": to for i in range(n)}},
    "union of properties": lambda to, n: {"anyOf": [{"properties": {"x": to}}] * n},
    "required": lambda to, n: {"type": "object", "required": ["p0"], "properties": {"p0": to, "p1": to}},
    "patternProperties": lambda to, n: {"patternProperties": {f"^p{i}": to for i in range(n)}},
    "additionalProperties": lambda to, n: {"type": "object", "additionalProperties": {"allOf": [to] * n}},
    "propertyNames": lambda to, n: {"propertyNames": {"anyOf": [to] * n}},
    "dependentSchemas": lambda to, n: {"dependentSchemas": {f"p{i}": to for i in range(n)}},
    "items": lambda to, n: {"type": "array", "items": {"oneOf": [to] * n}},
    "prefixItems": lambda to, n: {"prefixItems": [to] * n, "items": to},
    "contains": lambda to, n: {"contains": to, "unevaluatedItems": to},
    "unevaluatedProperties": lambda to, n: {"allOf": [to] * n, "unevaluatedProperties": to},
    "contentSchema": lambda to, n: {"type": "string", "contentSchema": to},
    "default": lambda to, n: {"anyOf": [to] * n, "default": {"p0": 1}},
    "enum": lambda to, n: {"anyOf": [to] * n, "enum": [f"v{i}" for i in range(n)]},
    "const": lambda to, n: {"allOf": [to, {"const": {"p0": n}}]},
}


# A level of a deep schema contains the next one once, so that its text stays small.
_LEVELS: tuple[Callable[[Any], Any], ...] = (
    lambda inner: {"type": "object", "properties": {"x": inner}},
    lambda inner: {"type": "array", "items": inner},
    lambda inner: {"anyOf": [inner]},
    lambda inner: {"not": inner},
)


def mixed(source: random.Random) -> dict[str, Any]:
    """Return a random recipe of a schema: kinds and number of its levels, width, innermost value."""
    count = source.choice(_LENGTHS) if source.random() < 0.3 else source.randint(2, 70)
    width = int(2 ** source.uniform(1, 9)) if source.random() < 0.2 else source.randint(2, 4)
    return {
        "steps": source.choices(list(_STEPS), k=source.randint(1, 4)),
        "count": count,
        "width": min(width, max(2, _MOST_REFERENCES // count)),
        "nested": source.choice([0, 0, 0, 50, 99, 101, 250, 3_000]),
        "loop": source.random() < 0.2,
        "family": source.choice(list(FAMILIES)) if source.random() < 0.25 else None,
        "verb": source.choice(_VERBS),
    }


def schema_of(recipe: dict[str, Any]) -> Schema:
    """Return the schema that a recipe describes."""
    steps, width = [_STEPS[name] for name in recipe["steps"]], recipe["width"]
    turn = iter(range(10**9))
    made = stepwise(lambda to: steps[next(turn) % len(steps)](to, width), recipe["count"])
    if recipe["loop"]:
        made["$defs"][f"a{recipe['count']}"] = {"type": "object", "properties": {"again": ref(0)}}
    if recipe["nested"]:
        deep = nested(_LEVELS[recipe["width"] % len(_LEVELS)], recipe["nested"])
        made["properties"]["deep"] = deep["properties"]["x"]
    if recipe["family"]:
        other = FAMILIES[recipe["family"]].make()
        made["properties"] = {**made["properties"], **other.get("properties", {})}
        made = {**other, **made, "$defs": {**other.get("$defs", {}), **made["$defs"]}}
    return made


def try_recipe(recipe: dict[str, Any]) -> Tally:
    """Run the command of the recipe with its schema, in a process with limits."""
    tally = Tally()
    verb = recipe["verb"]
    with tempfile.TemporaryDirectory(prefix="toolgen-fuzz-") as name:
        folder = Path(name)
        if verb in ("generate", "check"):
            write_project(folder, schema_of(recipe))
            done = run_limited(command("toolgen", verb), folder)
        else:
            write_project(folder)
            write_source(folder, verb, schema_of(recipe))
            done = run_limited(command("toolgen", "import", verb, "source.json"), folder)
    tally.counts["schemas"] += 1
    tally.counts["refused with a diagnostic" if done.code == 2 else "accepted"] += 1
    shown = f"exit {done.code}, {done.seconds:.1f} s, {done.megabytes:.0f} MB: {done.err[-800:]}"
    kind = None
    if done.code not in (0, 1, 2):
        kind = f"exit {done.code}"
    elif done.code == 2 and "error[" not in done.err:
        kind = "no diagnostic"
    elif done.seconds >= SECONDS:
        kind = "time"
    elif done.megabytes >= MEGABYTES:
        kind = "memory"
    if kind is not None:
        tally.findings.append(Finding(PART, kind, shown, recipe))
    return tally


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try random recipes until the deadline."""
    tally = workers.search(try_recipe, (mixed(source) for _ in count()), deadline)
    tally.findings = [each if deadline.is_over else _reduced(each) for each in tally.findings]
    return tally


def _reduced(found: Finding) -> Finding:
    """Return the same kind of finding with fewer levels and smaller numbers."""
    best, data, tries = found, dict(found.reproduction), 0
    changes = _smaller(data)
    while changes and tries < _TRIES:
        tries += 1
        change = changes.pop(0)
        if seen := [each for each in try_recipe({**data, **change}).findings if each.kind == found.kind]:
            best, data = seen[0], {**data, **change}
            changes = _smaller(data)
    return best


def _smaller(data: dict[str, Any]) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = [{"family": None}] if data["family"] else []
    changes += [{"nested": 0}] if data["nested"] else []
    changes += [{"loop": False}] if data["loop"] else []
    changes += [
        {"steps": data["steps"][:at] + data["steps"][at + 1 :]} for at in range(len(data["steps"]) - 1)
    ]
    changes += [{"count": data["count"] // 2}] if data["count"] > 1 else []
    return changes + ([{"width": data["width"] // 2}] if data["width"] > 1 else [])
