"""Inspect a generated project: read its code, import it, compare it with the specs, call every tool.

    python -m tools.fuzz.inspect_project FOLDER < cases.json

This runs in a separate process, in which nothing may start a program, open a connection or write a file.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.fuzz.generated_syntax import faults_of
from tools.fuzz.strings import CANARY

Json = Any
_JOINED = ("description", "use_when", "avoid_when", "returns")
_UNPUBLISHED = frozenset({"examples", "toolgen", "enabled", "coerce"})
"""Fields that the definition of a tool does not repeat."""
_FORBIDDEN = frozenset(
    {
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "os.fork",
        "subprocess.Popen",
        "socket.connect",
        "socket.getaddrinfo",
    }
)
_DONE = frozenset({"internal_error"})


class Watch:
    """Records audit events that generated code must not cause."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.on = False
        self.network = False
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in ("socket.connect", "socket.getaddrinfo") and self.network:
            raise ConnectionRefusedError("the fuzzer has no network")
        if event in _FORBIDDEN:
            self.seen.append(f"{event}{arguments!r}"[:300])
            raise PermissionError(event)
        if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
            self.seen.append(f"open{arguments!r}"[:300])

    def take(self) -> list[str]:
        """Return what was recorded since the last call, including the canary."""
        seen, self.seen = self.seen, []
        if sys.modules.pop(CANARY, None) is not None or os.environ.pop(CANARY, None) is not None:
            seen.append("the canary")
        return seen


def inspect(folder: Path, cases: Mapping[str, Json]) -> dict[str, Json]:
    """Return the faults of each tool by name, and the number of calls."""
    watch = Watch()
    faults: list[dict[str, str]] = []

    def report(tool: str, kind: str, *details: str) -> None:
        faults.extend({"tool": tool, "kind": kind, "detail": detail} for detail in details)

    package = folder / "generated"
    read = 0
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix()
        read += 1
        # A tool's modules have its name, by which the batch need not be divided to find the tool.
        report(file.stem, "syntax", *(f"{path}: {each}" for each in faults_of(path, file.read_bytes())))
    if faults:
        return {"faults": faults, "called": 0, "files": read}
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    watch.on = True
    catalog = importlib.import_module("generated.catalog")
    for adapter in ("openai", "anthropic", "gemini", "bedrock"):
        importlib.import_module(f"generated.{adapter}_tools")
    report("catalog.py", "executed", *watch.take())
    called = 0
    for name, case in cases.items():
        if name not in catalog.TOOLS:
            report(name, "altered", "the catalog has no such tool")
            continue
        report(name, "altered", *altered(case, catalog.TOOLS[name]))
        try:
            made, broken = asyncio.run(call(catalog, name, case["text"], watch))
        except Exception as error:
            report(name, "broken", f"{type(error).__name__}: {error}"[:500])
            continue
        called += made
        report(name, "broken", *broken)
        report(name, "executed", *watch.take())
    return {"faults": faults, "called": called, "files": read}


def altered(case: Json, definition: Mapping[str, Json]) -> Iterator[str]:
    """Return differences between the catalog and the author's values."""
    spec = case["spec"]
    for key, value in spec.items():
        if key in _UNPUBLISHED or (value in ([], {}) and key not in definition):
            continue
        if key in _JOINED:
            same = value.strip() in definition["description"]
            same = same and (key == "description" or definition[key] == value)
        elif key == "inject":
            same = [each["name"] for each in value] == [each["name"] for each in definition[key]]
        elif key == "annotations":
            same = {**definition[key], **value} == definition[key]
        elif key == "input_schema" and case["shared"]:
            own = {part: inner for part, inner in value.items() if part not in ("properties", "$defs")}
            same = {**definition[key], **own} == definition[key]
        else:
            same = exact(definition.get(key)) == exact(value)
        if not same:
            yield f"{key}: {ascii(definition.get(key))[:300]} for {ascii(value)[:300]}"
    only = not any(key in spec for key in (*_JOINED[1:], "deprecated"))  # its notice comes first
    if only and definition["description"] != spec["description"]:
        yield f"description: {ascii(definition['description'])[:300]}"


def exact(value: Json) -> str:
    return json.dumps(value)


async def call(catalog: Any, name: str, text: str, watch: Watch) -> tuple[int, list[str]]:
    """Call a tool in several ways; return the number of calls and the faults."""
    tool_class = catalog.tool_class(name)
    definition = catalog.TOOLS[name]
    watch.network = "x-openapi" in definition
    from toolgen.runtime import Toolkit

    tool = implementation(tool_class, definition, text)()
    toolkit = Toolkit([tool], context={each["name"]: text for each in definition.get("inject", ())})
    broken: list[str] = []
    tries: list[Json] = [{}, {text: text}, some_arguments(definition["input_schema"], text)]
    calls = 0
    for arguments in tries:
        answer = await toolkit.call(name, arguments)
        calls += 1
        if answer.error is not None and answer.error.code in _DONE:
            broken.append(f"{answer.error.code}: {answer.error.message}"[:300])
        answer.as_text()
    for provider, method, wire in (
        ("openai", "execute_tool_call", openai_call(definition, tries[-1])),
        ("anthropic", "execute_tool_use", {"type": "tool_use", "id": "1", "name": name, "input": tries[-1]}),
    ):
        module = importlib.import_module(f"generated.{provider}_tools")
        reply = await getattr(module, method)(wire, toolkit)
        calls += 1
        if "internal_error" in str(reply)[:200]:
            broken.append(f"{provider}: {reply}"[:300])
    await toolkit.close()
    return calls, broken


def openai_call(definition: Mapping[str, Json], arguments: Json) -> Json:
    name = definition.get("targets", {}).get("openai", {}).get("name", definition["name"])
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "1", "type": "function", "function": function}


def implementation(tool_class: Any, definition: Mapping[str, Json], text: str) -> Any:
    """Return a class that answers with the text, or that makes the HTTP call of an imported tool."""
    if "x-openapi" in definition:
        from toolgen.runtime.http import HttpTool

        return type("Fuzzed", (HttpTool, tool_class), {})

    async def execute(self: Any, request: Any, context: Any, **injected: Any) -> Any:
        return text

    async def chunks(self: Any, request: Any, context: Any, **injected: Any) -> Any:
        yield text

    def preview(self: Any, request: Any, context: Any, **injected: Any) -> str:
        return text

    return type(
        "Fuzzed",
        (tool_class,),
        {"execute": chunks if "stream" in definition else execute, "preview": preview},
    )


def some_arguments(schema: Json, text: str) -> Json:
    """Return arguments for the properties of a schema: its own values, or the text."""
    made: dict[str, Json] = {}
    for name, part in (schema.get("properties") or {}).items():
        part = part if isinstance(part, dict) else {}
        if "const" in part:
            made[name] = part["const"]
        elif part.get("enum"):
            made[name] = part["enum"][0]
        else:
            made[name] = part.get("default", text)
    return made


if __name__ == "__main__":
    print(json.dumps(inspect(Path(sys.argv[1]), json.load(sys.stdin))))
