"""Requests with aliases: every way to dump, iterate, compare and copy one agrees with what was validated.

An approval and the schema are about the caller's JSON. A tool that acts on `request.model_dump()` must act on
nothing else, such as an unknown key that has the Python name of a property.
"""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import plant
from tools.fuzz.project import project
from tools.fuzz.workers import Workers

PART = "dump"
Json = Any
_BATCH = 10  # schemas that are generated together
_CALLS = 40  # of each tool
_ROOT = Path(__file__).parents[2]
_NAMES = (
    "orderId", "order_id", "order-id", "OrderID", "Order Id", "class", "class_", "from", "from_", "_private",
    "__x", "model_config", "model_dump", "model_extra", "copy", "json", "schema", "dict", "fields",
    "root", "self", "None", "1st", "field_1st", "é", "x", "X", "x_", "a.b", "a_b", "items", "validate",
    "construct", "type",
)  # fmt: skip
_SCALARS: dict[str, tuple[Json, ...]] = {
    "string": ("", "a", "2024-01-01", "é", "None"),
    "integer": (0, -1, 7, 2**70),
    "number": (0.5, 1, -3.25),
    "boolean": (True, False),
}


def schema(source: random.Random, depth: int = 0) -> Json:
    """Return an object with properties whose Python names are other than their own."""
    properties = {name: _property(source, depth) for name in source.sample(_NAMES, source.randint(1, 6))}
    made: dict[str, Json] = {"type": "object", "properties": properties}
    if source.random() < 0.5:
        made["required"] = source.sample([*properties], source.randint(1, len(properties)))
    more = source.choice((None, None, True, False, {"type": "string"}))
    return made if more is None else {**made, "additionalProperties": more}


def _property(source: random.Random, depth: int) -> Json:
    kind = source.choice(
        ("string", "integer", "number", "boolean", "object", "array", "map", "union", "nullable", "default")
    )
    if depth > 2 and kind in ("object", "array", "map", "union"):
        kind = "string"
    match kind:
        case "object":
            return schema(source, depth + 1)
        case "array":
            return {"type": "array", "items": _property(source, depth + 1)}
        case "map":
            return {"type": "object", "additionalProperties": _property(source, depth + 1)}
        case "union":
            return {"anyOf": [schema(source, depth + 1), {"type": "string"}]}
        case "nullable":
            return {"type": ["string", "null"]}
        case "default":
            return {"type": "integer", "default": 5}
    return {"type": kind}


def value(made: Json, source: random.Random) -> Json:
    """Return a value that is probably valid, with unknown keys where they are allowed."""
    if made is True or not made:
        return source.choice((1, "x", None, {"a": 1}))
    if "anyOf" in made:
        return value(source.choice(made["anyOf"]), source)
    kind = made["type"]
    if isinstance(kind, list):
        return source.choice(("x", None))
    if kind == "array":
        return [value(made["items"], source) for _ in range(source.randint(0, 3))]
    if kind != "object":
        return source.choice(_SCALARS[kind])
    known = made.get("properties", {})
    result = {
        name: value(each, source)
        for name, each in known.items()
        if name in made.get("required", ()) or source.random() < 0.6
    }
    more = made.get("additionalProperties", True)
    if more is not False:
        for _ in range(source.choice((0, 1, 1, 3))):
            name = source.choice((*_NAMES, *(_python_name(each) for each in known)))
            if name not in known:
                result[name] = value(more, source)
    keys = source.sample([*result], len(result))
    return {name: result[name] for name in keys}


def _python_name(name: str) -> str:
    """Return a name that a field of this property may have."""
    words = "".join(
        f"_{char.lower()}" if char.isupper() else char if char.isalnum() else "_" for char in name
    )
    return words.strip("_")


def try_seed(seed: int) -> Tally:
    """Generate a batch of tools and call each of them. In one process of its own."""
    tally = Tally()
    with project() as here:
        source = random.Random(seed)
        for number in range(_BATCH):
            spec = {"name": f"t{number}", "description": "x", "input_schema": schema(source)}
            here.write(f"specs/t{number}.yaml", json.dumps(spec))
        ran = here.toolgen("generate")
        if ran.code != 0:
            tally.counts["diagnosed"] += 1
            if ran.code != 2:
                tally.findings.append(Finding(PART, f"exit {ran.code}", ran.err[-800:], seed))
            return tally
        done = subprocess.run(
            [sys.executable, "-m", "tools.fuzz.dump", str(here.root), str(seed)],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if done.returncode != 0:
        tally.findings.append(Finding(PART, "broken", done.stderr[-1500:], seed))
        return tally
    seen = json.loads(done.stdout)
    tally.counts.update(seen["counts"])
    tally.findings += [Finding(PART, "differs", each, seed) for each in seen["faults"][:1]]
    return tally


# Ways to take a request apart; the keys are those of the fields, or of the schema.
_BY_NAME: dict[str, Callable[[Any], Any]] = {
    "model_dump()": lambda request: request.model_dump(),
    'model_dump(mode="json")': lambda request: request.model_dump(mode="json"),
    "model_dump(exclude_unset=True)": lambda request: request.model_dump(exclude_unset=True),
    "model_dump(exclude_none=True)": lambda request: request.model_dump(exclude_none=True),
    "model_dump_json()": lambda request: json.loads(request.model_dump_json()),
    "to_jsonable_python": lambda request: _core().to_jsonable_python(request, by_alias=False),
    "dict": dict,
    "iteration": lambda request: dict(list(request)),
    "vars": lambda request: vars(request),
    "copy.copy": lambda request: copy.copy(request).model_dump(),
    "copy.deepcopy": lambda request: copy.deepcopy(request).model_dump(),
    "pickle": lambda request: pickle.loads(pickle.dumps(request)).model_dump(),
    "model_copy": lambda request: request.model_copy(deep=True).model_dump(),
}
_BY_ALIAS: dict[str, Callable[[Any], Any]] = {
    "model_dump(by_alias=True)": lambda request: request.model_dump(by_alias=True),
    "model_dump_json(by_alias=True)": lambda request: json.loads(request.model_dump_json(by_alias=True)),
    "validated again": lambda request: (
        type(request)
        .model_validate(
            request.model_dump(by_alias=True, exclude_unset=True), by_name=False
        )  # as JSON is read
        .model_dump(by_alias=True)
    ),
}


def _core() -> Any:
    return importlib.import_module("pydantic_core")


def faults(request: Any, given: Json) -> Iterator[str]:
    """Yield the differences between a request, in every form, and the JSON object that was validated."""
    exact = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not _same(exact, given):
        yield f"model_dump(by_alias=True, exclude_unset=True) is {exact!r}"
    for way, take in _BY_NAME.items():
        yield from _compared(way, take, request, given, by_alias=False)
    for way, take in _BY_ALIAS.items():
        yield from _compared(way, take, request, given, by_alias=True)
    copies = {"copy.deepcopy": copy.deepcopy(request), "model_copy": request.model_copy(deep=True)}
    yield from (f"{way} is not equal to the request" for way, made in copies.items() if made != request)


def _compared(
    way: str, take: Callable[[Any], Any], request: Any, given: Json, *, by_alias: bool
) -> Iterator[str]:
    try:
        taken = take(request)
    except Exception as error:  # what a tool would end with
        yield f"{way} raises {type(error).__name__}: {error}"
        return
    yield from _differences(way, request, given, taken, by_alias=by_alias)


def _differences(path: str, request: Any, given: Json, taken: Any, *, by_alias: bool) -> Iterator[str]:
    """Compare a model, the JSON that it was made of, and one form of it; then the parts of all three."""
    if isinstance(given, list):
        if not isinstance(taken, list) or len(taken) != len(given):
            yield f"{path} is {taken!r}, and {given!r} was validated"
            return
        for index, (inner, part, form) in enumerate(zip(request, given, taken, strict=True)):
            yield from _differences(f"{path}[{index}]", inner, part, form, by_alias=by_alias)
    elif not isinstance(given, dict):
        if not _same(_plain(taken), given):
            yield f"{path} is {taken!r}, and {given!r} was validated"
    elif not hasattr(type(request), "model_fields"):
        if not _same(_plain(request), given):
            yield f"{path}: the request has {request!r}, and {given!r} was validated"
    else:
        taken = dict(taken) if hasattr(type(taken), "model_fields") else taken
        if not isinstance(taken, dict):
            yield f"{path} is {taken!r}, and {given!r} was validated"
            return
        for name, field in type(request).model_fields.items():
            alias = field.alias or name
            key = alias if by_alias else name
            if alias in given and key in taken:
                yield from _differences(
                    f"{path}.{key}", getattr(request, name), given[alias], taken[key], by_alias=by_alias
                )
            elif alias not in given and taken.get(key) is not None and not _same(taken[key], field.default):
                yield f"{path}.{key} is {taken[key]!r}, and there is no {alias!r} in what was validated"


def _plain(taken: Any) -> Any:
    if hasattr(type(taken), "model_fields"):
        return taken.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(taken, dict):
        return {key: _plain(inner) for key, inner in taken.items()}
    return [_plain(inner) for inner in taken] if isinstance(taken, list) else taken


def _same(left: Any, right: Any) -> bool:
    return (
        json.dumps(left, sort_keys=True, default=repr) == json.dumps(right, sort_keys=True, default=repr)
        or left == right
    )


def inspect(folder: Path, seed: int) -> dict[str, Any]:
    """Call every tool of a project with random arguments; return the faults of the requests, and counts."""
    sys.path.insert(0, str(folder))
    catalog = importlib.import_module("generated.catalog")
    from toolgen.runtime import Toolkit

    found: list[str] = []
    counts = {"requests": 0, "refused": 0}
    source = random.Random(f"calls {seed}")
    for name in catalog.TOOLS:
        requests: list[Any] = []

        async def execute(self: Any, request: Any, context: Any, seen: list[Any] = requests) -> Any:
            seen.append(request)
            return "done"

        tool = type("Fuzzed", (catalog.tool_class(name),), {"execute": execute})()

        async def call(given: Json, name: str = name, tool: Any = tool) -> None:
            await Toolkit([tool]).call(name, given)

        for _ in range(_CALLS):
            requests.clear()
            given = value(catalog.TOOLS[name]["input_schema"], source)
            asyncio.run(call(copy.deepcopy(given)))
            counts["requests" if requests else "refused"] += 1
            found += [
                f"{name} {json.dumps(given)}: {each}"
                for request in requests
                for each in faults(request, given)
            ]
    return {"faults": sorted(found, key=len), "counts": counts}


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try schemas until the deadline."""
    return workers.search(try_seed, (source.randrange(10**9) for _ in count()), deadline)


if __name__ == "__main__":
    plant()
    print(json.dumps(inspect(Path(sys.argv[1]), int(sys.argv[2]))))
