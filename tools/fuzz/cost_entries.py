"""What the cost fuzzer measures: each public entry with an input of any size. Run as a process: `measure`.

A recipe is JSON: the name of an entry, the kind of its input, and a seed for the rest.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tools.fuzz import shapes
from tools.fuzz.planted import plant
from tools.fuzz.project import Project, Ran, project

Json = Any
Work = Callable[[], object]  # one with the attribute `wire` is done by that server, whose cost is measured
Prepare = Callable[[Json, int, Project], Work]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: `prepare` returns the work that is measured, for an input of so many characters."""

    prepare: Prepare
    smallest: int  # characters; ten times and a hundred times as many are compared with it
    languages: tuple[str, ...] = ()  # of texts that it reads; empty: it reads JSON values


ENTRIES: dict[str, Entry] = {}


def entry(smallest: int, *languages: str) -> Callable[[Prepare], Prepare]:
    """Register the function as an entry under its name."""

    def register(prepare: Prepare) -> Prepare:
        ENTRIES[prepare.__name__] = Entry(prepare, smallest, languages)
        return prepare

    return register


_MANY = {f"name_of_property_{n}": {"type": "string"} for n in range(1_000)}
_TAGGED = [
    {"type": "object", "required": ["k0"], "properties": {"k0": {"const": n}, f"p{n}": {"type": "null"}}}
    for n in range(20)
]
SCHEMAS: dict[str, Json] = {
    "anything": {},
    "text": {"type": "string"},
    "nothing": False,
    "integers": {"type": "array", "items": {"type": "integer"}},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 3}},
    "decimals": {"type": "array", "items": {"type": "number", "multipleOf": 0.01}},
    "different": {"type": "array", "uniqueItems": True},
    "options": {"type": "array", "items": {"enum": [f"option {n}" for n in range(500)]}},
    "objects in an enum": {
        "type": "array",
        "items": {"enum": [{"a": [*range(100)], "b": n} for n in range(50)]},
    },
    "required": {"type": "object", "required": [f"p{n}" for n in range(100)]},
    "items with required": {"type": "array", "items": {"required": ["a", "b", "c"]}},
    "closed": {"type": "object", "properties": _MANY, "additionalProperties": False},
    "many properties": {"type": "object", "properties": _MANY},
    "names": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 5}},
    "patterns": {
        "type": "object",
        "patternProperties": {"^k": {"type": "integer"}, "[0-9]$": {"type": "string"}},
    },
    "pattern": {"type": "array", "items": {"type": "string", "pattern": "^(\\w+\\s?)*$(?<!x)"}},
    "formats": {
        "type": "array",
        "items": {
            "anyOf": [
                {"format": f} for f in ("date-time", "email", "uri", "ipv6", "idn-hostname", "regex", "uuid")
            ]
        },
    },
    "branches": {"type": "array", "items": {"oneOf": _TAGGED}},
    "everything in branches": {
        "allOf": [{"anyOf": [{"type": "string"}, {"maxItems": 2}, {"maxProperties": 2}]}] * 50
    },
    "tree": {
        "anyOf": [
            {"type": "integer"},
            {"properties": {"of": {"$ref": "#/properties/x"}}, "items": {"$ref": "#/properties/x"}},
        ]
    },
    "contains": {
        "type": "array",
        "contains": {"type": "object", "required": ["k0"]},
        "minContains": 2,
        "maxContains": 3,
    },
    "unevaluated": {
        "anyOf": [{"properties": {"k0": True}}, {"prefixItems": [True]}],
        "unevaluatedProperties": False,
        "unevaluatedItems": False,
    },
    "dependent": {
        "dependentRequired": {f"k{n}": [f"z{m}" for m in range(50)] for n in range(5)},
        "dependentSchemas": {"k1": {"required": ["q"]}},
    },
    "not": {"not": {"anyOf": [{"type": "array", "minItems": 1}, {"type": "object"}]}},
    "if": {
        "type": "array",
        "items": {"if": {"required": ["k0"]}, "then": {"maxProperties": 0}, "else": {"const": 1}},
    },
    "aliases": {
        "type": "array",
        "items": {"type": "object", "properties": {"class": {"type": "integer"}, "k-0": {}, "Of": {}}},
    },
}
_TOOL = """
from generated.tools.{name} import {base}Tool

class Tool({base}Tool):
    answer = "done"

    def preview(self, request, context):
        return self.shown

    async def execute(self, request, context):
        return self.answer
"""
_numbers = count()


def schema_of(recipe: Json) -> Json:
    """Return the schema that the seed of a recipe chooses; sometimes several in one."""
    source = random.Random(recipe["seed"])
    chosen = SCHEMAS[recipe.get("schema") or source.choice(list(SCHEMAS))]
    other = SCHEMAS[source.choice(list(SCHEMAS))]
    match source.randrange(6):
        case 0:
            return {"allOf": [chosen, other]}
        case 1:
            return {"anyOf": [chosen, other, {"type": "null"}]}
        case 2:
            return {"properties": {"of": chosen}, "additionalProperties": other, "items": other}
    return chosen


def _spec(name: str, **fields: Json) -> Json:
    return {"name": name, "description": "A tool.", "input_schema": {"type": "object"}, **fields}


def _object(schema: Json) -> Json:
    return {"type": "object", "required": ["x"], "properties": {"x": schema}}


def _done(ran: Ran) -> Ran:
    if ran.code not in (0, 1, 2):
        raise RuntimeError(f"exit {ran.code}: {ran.err[-2000:]}")
    return ran


def _tool(here: Project, recipe: Json, **fields: Json) -> tuple[str, Any]:
    """Return the name and an instance of a generated tool; None for one whose spec is refused."""
    name = f"t{next(_numbers)}"
    base = name.title()
    package = f"generated{name}"
    here.write(f"{name}/toolgen.toml", f'specs = "specs"\noutput = "{package}"\n')
    here.write(f"{name}/specs/{name}.yaml", json.dumps(_spec(name, **fields)))
    below = Project(here.root / name, here.cache)
    if _done(below.toolgen("generate")).code:
        return name, None
    sys.path.insert(0, str(below.root))
    try:
        made: dict[str, Any] = {}
        exec(_TOOL.format(name=name, base=base).replace("generated.", f"{package}."), made)  # noqa: S102
    finally:
        sys.path.pop(0)
    return name, made["Tool"]()


_tools: dict[str, tuple[str, Any]] = {}  # of a recipe, for each size


def _call(here: Project, recipe: Json, arguments: Json, fields: Json, **more: Json) -> Work:
    from toolgen.runtime import Toolkit

    key = json.dumps([recipe, fields])
    name, tool = _tools[key] if key in _tools else _tools.setdefault(key, _tool(here, recipe, **fields))
    if tool is None:
        return lambda: None
    for attribute, value in more.items():
        setattr(type(tool), attribute, value)

    async def yes(asked: Any) -> bool:
        return True

    async def call() -> Any:
        toolkit = Toolkit([tool])
        return await toolkit.call(name, arguments, confirm=yes)

    return lambda: asyncio.run(call())


def _as_text(value: Json) -> str:
    """Return a value as an implementation shows it to users: texts unchanged."""
    if isinstance(value, str):
        return value
    items = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else (json.dumps(value),)
    )
    return "".join(map(_as_text, items))


@entry(20_000)
def question(recipe: Json, size: int, here: Project) -> Work:
    """A call that the user is asked about, with a preview that contains the arguments."""
    value = shapes.make(recipe, size)
    schema = {"type": "object", "properties": {"x": {}, "y": {"type": "array"}}}
    fields = {
        "input_schema": schema,
        "confirm": {"message": "Do {x} with {y|count} and {x}?", "preview": True},
    }
    return _call(here, recipe, {"x": value, "y": [value]}, fields, shown=_as_text(value))


@entry(20_000)
def call(recipe: Json, size: int, here: Project) -> Work:
    """The arguments of a call: as an object, or as one text."""
    value = {"x": shapes.make(recipe, size)}
    arguments = json.dumps(value) if recipe["seed"] % 7 == 0 else value
    return _call(here, recipe, arguments, {"input_schema": _object(schema_of(recipe))})


@entry(20_000)
def whole(recipe: Json, size: int, here: Project) -> Work:
    """The arguments of a call, against a schema at the root."""
    value = shapes.make(recipe, size)
    schema = {**(SCHEMAS["closed"] if recipe["seed"] % 2 else SCHEMAS["required"]), "type": "object"}
    return _call(
        here, recipe, value if isinstance(value, dict) else {"x": value, "y": value}, {"input_schema": schema}
    )


@entry(20_000)
def answer(recipe: Json, size: int, here: Project) -> Work:
    """What a tool returns, such as the reply of an API: checked, paged, redacted."""
    value = {"x": shapes.make(recipe, size)}
    fields = {"output_schema": _object(schema_of(recipe))}
    if recipe["seed"] % 3 == 0:
        paged = {"x": {"type": "array"}, "next": {"type": "string"}}
        fields = {
            "input_schema": {"type": "object", "properties": {"next": {"type": "string"}}},
            "output_schema": {"type": "object", "properties": paged},
            "max_result_bytes": size // 4 + 100,
            "page": {"items": "/x", "cursor": "/next", "from": "/next"},
        }
    return _call(here, recipe, {}, fields, answer=value)


@entry(20_000, "markup")
def image(recipe: Json, size: int, here: Project) -> Work:
    """An SVG of a stranger in a result."""
    from toolgen.runtime import Image

    text = shapes.text(recipe, size)
    data = (text if recipe["seed"] % 3 else f'<svg xmlns="http://www.w3.org/2000/svg">{text}</svg>').encode()
    return _call(here, recipe, {}, {"content": "any"}, answer=Image(data, media_type="image/svg+xml"))


@entry(20_000)
def blocks(recipe: Json, size: int, here: Project) -> Work:
    """Many texts and links in a result."""
    from toolgen.runtime import Link, Text, ToolResult

    value = shapes.make(recipe, size)
    found = value if isinstance(value, list) else [value]
    made = [
        Link(f"https://example.com/{index}") if recipe["seed"] % 2 else Text(_as_text(each))
        for index, each in enumerate(found[:20_000])
    ]
    return _call(here, recipe, {}, {"content": "any"}, answer=ToolResult("done", *made))


@entry(20_000, "link")
def link(recipe: Json, size: int, here: Project) -> Work:
    """One long address in a result."""
    from toolgen.runtime import Link

    return _call(here, recipe, {}, {"content": "any"}, answer=Link(f"https://{shapes.text(recipe, size)}"))


@entry(20_000, "json", "markup", "link")
def reply(recipe: Json, size: int, here: Project) -> Work:
    """The reply of an HTTP API: any type, charset and status."""
    from toolgen.runtime.errors import ToolError
    from toolgen.runtime.http.client import Reply
    from toolgen.runtime.http.reply import result_from_reply, without_secrets

    source = random.Random(recipe["seed"])
    text = shapes.text(recipe, size)
    kind = source.choice(
        ("application/json", "text/plain", "text/html; charset=utf-16", "text/plain; charset=iso2022_jp")
    )
    if kind == "application/json" and source.random() < 0.7:
        text = json.dumps(
            {source.choice(("detail", "errors", "x")): text.split(",") if source.random() < 0.5 else text}
        )
    content = text.encode()
    headers = {"content-type": kind, "retry-after": "1" * (size // 10)}
    made = Reply(source.choice((200, 400, 503)), "x" * (size // 10), headers, content)

    def work() -> None:
        try:
            result_from_reply(made, {"accept": source.choice(("", "*/*", "application/json"))}, False, ())
        except ToolError as error:
            without_secrets(error, ["secret-of-the-api", "another-secret"])

    return work


_served: dict[str, Any] = {}  # the server that runs, if any, and how it is ended


@entry(20_000)
def wire(recipe: Json, size: int, here: Project) -> Work:
    """The arguments of a call to a server, in one of the four ways; sometimes the user is asked."""
    from tools.fuzz.wire import WAYS

    source = random.Random(recipe["seed"])
    way = source.choice(WAYS)
    asks = {"confirm": {"message": "Do {x}?", "preview": True}, "input_schema": _object({})}
    server = _server(
        recipe, way, asks if recipe["seed"] % 4 == 0 else {"input_schema": _object(schema_of(recipe))}
    )
    if server is None:
        return lambda: None
    arguments = json.dumps({"x": shapes.make(recipe, size)}, ensure_ascii=bool(recipe["seed"] % 2))
    return _ServerWork(server, lambda: server.call("served", arguments, 60))


@entry(600, "link", "json", "template")
def headers(recipe: Json, size: int, here: Project) -> Work:
    """Headers of a request, and its other fields: its method, its metadata, the name of its tool."""
    source = random.Random(recipe["seed"])
    way = source.choice(("http, 2025-11-25", "http, 2026-07-28", "stdio, 2026-07-28"))
    server = _server(recipe, way, {})
    text = shapes.text(recipe, size)
    safe = "".join(char for char in text if char.isprintable() and char.isascii())[:60_000]
    many = {f"x-{number}": "x" for number in range(size // 10)}
    given: dict[str, str] = source.choice(
        [
            many,
            *(
                {name: safe}
                for name in (
                    "origin",
                    "accept",
                    "mcp-session-id",
                    "mcp-name",
                    "authorization",
                    "last-event-id",
                    "content-type",
                )
            ),
        ]
    )
    method = source.choice(("tools/call", "tools/list", "resources/read", text, "completion/complete"))
    params = {
        "name": text,
        "uri": text,
        "cursor": text,
        "arguments": {},
        "_meta": {"progressToken": text, text: 1},
    }
    return _ServerWork(server, lambda: server.send(method, json.dumps(params), 60, headers=given))


class _ServerWork:
    """A request to a server. One that is not answered is a fault, unless the server has refused it."""

    def __init__(self, server: Any, request: Work) -> None:
        self.wire = server
        self._request = request

    def __call__(self) -> None:
        from tools.fuzz.wire import NoAnswerError

        with suppress(NoAnswerError):
            self._request()
        if self.wire.process.poll() is not None:
            raise RuntimeError("the server has ended")


def _server(recipe: Json, way: str, fields: Json) -> Any:
    """Return the running server of a recipe, in one way; None if its spec is refused."""
    from tools.fuzz.wire import served

    key = json.dumps(recipe)
    if key not in _served:
        stack = ExitStack()
        here = stack.enter_context(project())
        here.write("toolgen.toml", 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
        here.write("specs/served.yaml", json.dumps(_spec("served", **fields)))
        here.write(
            "tools/served.py",
            _TOOL.format(name="served", base="Served").replace("self.shown", "str(request)"),
        )
        server = (
            None
            if _done(here.toolgen("generate")).code
            else stack.enter_context(served(here.root, way, here.environment()))
        )
        _served[key] = (server, stack)
    return _served[key][0]


@entry(4_000)
def mock(recipe: Json, size: int, here: Project) -> Work:
    """A call of a mock, by examples that are like its arguments."""
    from toolgen.testing import mock_toolkit

    value = shapes.make(recipe, size)
    many = value if isinstance(value, list) else [value]
    examples = [
        {"name": f"e{n}", "input": {"x": each}, "output": {"y": n}} for n, each in enumerate(many[:2_000])
    ]
    fields = {"output_schema": {"type": "object"}, "examples": examples}
    here.write("specs/mocked.yaml", json.dumps(_spec("mocked", **fields)))

    def work() -> None:
        from toolgen.language.diagnostic import SpecErrors

        with suppress(SpecErrors):
            toolkit = mock_toolkit(here.root)
            asyncio.run(toolkit.call("mocked", {"x": value}))
            asyncio.run(toolkit.call("mocked", {"x": many[-1]}))

    return work


def _fields_with(value: Json, source: random.Random) -> Json:
    """Return fields of a spec, one of which has the value, in a form that it may take."""
    items = value if isinstance(value, list) else [*value] if isinstance(value, dict) else [value]
    words = [f"{str(each)[:60]}{number}" for number, each in enumerate(items)]
    slugs = [f"w{number}" for number in range(len(items))]
    schema = {
        "type": "object",
        "properties": {word: {"type": "string", "description": word} for word in words},
    }
    choices: list[Json] = [
        {"description": _as_text(value) or "x"},
        {"meta": {"x": value}},
        {"x-fuzz": value},
        {"input_schema": {"type": "object", "properties": {"x": {"default": value, "enum": items}}}},
        {"input_schema": {"type": "object", "properties": {"x": {"const": value, "examples": items}}}},
        {"input_schema": schema},
        {"input_schema": {"type": "object", "required": words}},
        {"input_schema": {**schema, "required": words[::-1]}},
        {
            "input_schema": {
                "type": "object",
                "properties": {"x": {"anyOf": [{"const": word} for word in words[:450]]}},
            }
        },
        {"input_schema": {"type": "object", "$defs": {slug: {"$ref": f"#/$defs/{slug}x"} for slug in slugs}}},
        {
            "input_schema": {
                "type": "object",
                "$defs": {s: {"type": "object", "title": "Same"} for s in slugs},
                "properties": {s: {"$ref": f"#/$defs/{s}"} for s in slugs},
            }
        },
        {
            "input_schema": {
                "type": "object",
                "properties": {
                    s: {
                        "type": "object",
                        "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}},
                    }
                    for s in slugs
                },
            }
        },
        {"input_schema": {"type": "object", "properties": {"x": {"pattern": "|".join(words)[:9_000]}}}},
        {"input_schema": schema, "confirm": {"message": "".join(f"{{{slug}}}" for slug in slugs) or "x"}},
        {"examples": [{"name": s, "input": {"x": i}} for s, i in zip(slugs, items, strict=True)]},
        {
            "examples": [
                {"name": "one", "input": {"x": value}},
                {"name": "two", "input": {"x": value}, "output": value},
            ]
        },
        {"examples": [{"name": s, "ask": "The same.", "not": ["x"], "input": {}} for s in slugs]},
        {
            "errors": [
                {"code": slug, "description": "x", "hint": word or "x"}
                for slug, word in zip(slugs, words, strict=True)
            ]
        },
        {"tags": slugs, "aliases": slugs},
        {"unknown_" + word: 1 for word in words},
        {"auth": {"scopes": slugs, "secrets": [slug.upper() for slug in slugs]}},
        {"inject": [{"name": slug, "type": "sqlite3.Connection"} for slug in slugs]},
        {"annotations": dict.fromkeys(words, 1)},
        {"content": [{"type": "image", "description": word or "x"} for word in words]},
        {"icons": [{"src": f"https://example.com/{slug}"} for slug in slugs]},
    ]
    return source.choice(choices)


@entry(3_000)
def spec(recipe: Json, size: int, here: Project) -> Work:
    """A field of a spec, by `check` and `generate`."""
    fields = _fields_with(shapes.make(recipe, size), random.Random(recipe["seed"]))
    here.write("specs/one.yaml", json.dumps({**_spec("one"), **fields}))
    return _fresh(here, recipe["seed"])


@entry(3_000)
def specs(recipe: Json, size: int, here: Project) -> Work:
    """Many specs, equal but for their names, or with the same name."""
    for number in range(max(1, size // 300)):
        name = "same" if recipe["seed"] % 5 == 0 else f"tool_{number}"
        here.write(
            f"specs/s{number}.yaml", json.dumps(_spec(name, title="Same", aliases=[f"a{number // 2}"]))
        )
    return _fresh(here, recipe["seed"])


def _fresh(here: Project, seed: int) -> Work:
    """Return the work of a command without its cache."""

    def work() -> None:
        environment = Project(here.root, here.cache / str(next(_numbers)))
        words = (("generate",), ("check",), ("export", "openai-chat"), ("check", "--format", "json"))[
            seed % 4
        ]
        _done(environment.toolgen(*words))

    return work


@entry(3_000, "yaml", "json", "template")
def spec_text(recipe: Json, size: int, here: Project) -> Work:
    """A spec that may be no spec, by `check`."""
    text = shapes.text(recipe, size)
    head = "name: one\ndescription: A tool.\ninput_schema: {type: object}\n"
    form = recipe["seed"] % 4
    if form == 0:
        text = head + text
    elif form == 1:
        text = head + "meta:\n" + "".join(f"  {line}\n" for line in text.splitlines())
    elif form == 2:
        text = head + "meta: " + text
    here.write("specs/one.yaml", text.encode("utf-8", "replace").decode())
    return lambda: _done(here.toolgen("check", *(("--format", "json") if recipe["seed"] % 3 == 0 else ())))


@entry(3_000, "toml", "json", "pattern")
def settings(recipe: Json, size: int, here: Project) -> Work:
    """A file of a project beside its specs, by the command that reads it."""
    text = shapes.text(recipe, size)
    here.write("specs/one.yaml", json.dumps(_spec("one")))
    files: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("toolgen.toml", 'specs = "specs"\noutput = "generated"\n', ("check",)),
        (
            "toolgen.toml",
            'specs = "specs"\noutput = "generated"\n[breaking]\n',
            ("breaking", "--against", "specs"),
        ),
        ("breaking.toml", "", ("breaking", "--against", "specs")),
        ("breaking.toml", "[[accept]]\n", ("breaking", "--against", "specs")),
        ("pyproject.toml", "[tool.toolgen]\n", ("check",)),
        ("generated/toolgen.manifest.json", "", ("check",)),
        ("generated/toolgen.manifest.json", "", ("generate",)),
        ("generated/__init__.py", "# Code generated by toolgen. DO NOT EDIT.\n", ("check",)),
        ("evals/tests.json", "", ("evals", "--check")),
        ("outcomes/one.json", "", ("check",)),
    )
    path, head, words = files[recipe["seed"] % len(files)]
    if path == "pyproject.toml":
        (here.root / "toolgen.toml").unlink(missing_ok=True)
    here.write(path, head + text)
    return lambda: _done(here.toolgen(*words))


@entry(3_000, "toml")
def tokens(recipe: Json, size: int, here: Project) -> Work:
    """The file of `--auth-tokens`."""
    from toolgen.runtime.settings import SettingError
    from toolgen.serving.auth.token_file import TokenFile

    file = here.write("tokens.toml", "[[tokens]]\n" * (recipe["seed"] % 2) + shapes.text(recipe, size))

    def work() -> None:
        with suppress(SettingError):
            TokenFile.read(str(file))

    return work


def _source(kind: str, schemas: list[Json], text: str) -> Json:
    """Return a source of an import with one tool for each schema."""
    if kind == "mcp":
        return {
            "tools": [
                {"name": f"t{n}", "description": text or "x", "inputSchema": s} for n, s in enumerate(schemas)
            ]
        }
    if kind == "openai":
        return [
            {"type": "function", "function": {"name": f"t{n}", "description": text, "parameters": s}}
            for n, s in enumerate(schemas)
        ]
    paths = {}
    for number in range(len(schemas)):
        body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/S{number}"}}}}
        parameters = [{"name": f"q{n}", "in": "query", "schema": {"type": "string"}} for n in range(3)]
        paths[f"/p{number}"] = {
            "post": {
                "operationId": f"t{number}",
                "description": text,
                "parameters": parameters,
                "requestBody": body,
                "responses": {"200": {"description": "x", **body}},
            }
        }
    components = {f"S{number}": each for number, each in enumerate(schemas)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fuzz", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": paths,
        "components": {"schemas": components},
    }


@entry(3_000)
def source(recipe: Json, size: int, here: Project) -> Work:
    """The source of an import: one large tool, or many tools."""
    source = random.Random(recipe["seed"])
    kind = source.choice(("mcp", "openai", "openapi"))
    if source.random() < 0.4:
        schemas = [_object({"type": "string"}) for _ in range(max(1, size // 300))]
        if kind == "openapi" and source.random() < 0.5:  # each refers to the next one
            for number, each in enumerate(schemas[:-1]):
                each["properties"]["next"] = {"$ref": f"#/components/schemas/S{number + 1}"}
        text = "The same."
    else:
        fields = {}
        while "input_schema" not in fields:
            fields = _fields_with(shapes.make(recipe, size), source)
        schemas, text = [fields["input_schema"]], _as_text(shapes.make(recipe, size // 4))
    here.write("source.json", json.dumps(_source(kind, schemas, text)))

    def work() -> None:
        words = () if recipe["seed"] % 2 else ("--sync",)
        into = f"into{next(_numbers)}"
        _done(here.toolgen("import", kind, "source.json", "--into", into, *words))

    return work


@entry(3_000, "python")
def module(recipe: Json, size: int, here: Project) -> Work:
    """Python code, whose functions are imported."""
    text = shapes.text(recipe, size)
    if recipe["seed"] % 2:  # code that is valid
        text = f"def one(a: int = 1) -> int:\n    {text!r}\n    return a\n" + "".join(
            f"def f{n}(a: dict[str, list[int | None]], b{n}: str = 'x') -> int:\n    'Add.'\n"
            for n in range(size // 90)
        )
    here.write("imported.py", text)
    return lambda: _done(here.toolgen("import", "python", "imported", "--into", f"into{next(_numbers)}"))


@entry(3_000)
def breaking(recipe: Json, size: int, here: Project) -> Work:
    """Two versions of a spec, or of many."""
    source = random.Random(recipe["seed"])
    value = shapes.make(recipe, size)
    fields = _fields_with(value, source)
    now = {**_spec("one"), **fields}
    text = json.dumps(now)
    changes = (
        ("w", "v"),
        ('"string"', '"integer"'),
        ("0", "1"),
        ('", "', 'é", "'),
        ('"type": "object"', '"type": "object", "minProperties": 1'),
    )
    before = text
    for old, new in source.sample(changes, source.randint(1, 2)):
        before = before.replace(old, new)
    if source.random() < 0.3:  # all tools are renamed
        for number in range(max(1, size // 300)):
            here.write(
                f"specs/s{number}.yaml", json.dumps(_spec(f"tool_{number}", description=f"Tool {number}."))
            )
            here.write(
                f"before/s{number}.yaml",
                json.dumps(_spec(f"renamed_{number}", description=f"Tool {number}.")),
            )
    else:
        here.write("specs/one.yaml", text)
        here.write("before/one.yaml", before if '"name": "one"' in before else text)
    return lambda: _done(here.toolgen("breaking", "--against", "before"))


@entry(3_000)
def commits(recipe: Json, size: int, here: Project) -> Work:
    """A commit with many files and folders, and one that changes all of them."""
    source = random.Random(recipe["seed"])
    folder, deep = source.choice(("specs", "other")), source.random() < 0.3
    _git(here, "init", "-q")
    for turn in range(2):
        for number in range(max(1, size // 60)):
            below = f"{'d/' * min(number, 100) if deep else ''}{number % 50}"
            here.write(f"{folder}/{below}/f{number}.txt", f"{turn}\n")
        for number in range(max(1, size // 300)):
            name = f"tool_{number}" if turn or source.random() < 0.5 else f"older_{number}"
            here.write(f"specs/{number % 50}/s{number}.yaml", json.dumps(_spec(name)))
        _git(here, "add", "-A")
        _git(
            here,
            "-c",
            "user.name=x",
            "-c",
            "user.email=x",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x" * (size // 10),
        )
    words = ("changelog", "HEAD~1..HEAD") if recipe["seed"] % 2 else ("breaking", "--against", "HEAD~1")
    return lambda: _done(here.toolgen(*words))


@entry(3_000, "link", "template")
def reference(recipe: Json, size: int, here: Project) -> Work:
    """A long name of a commit, folder or command."""
    here.write("specs/one.yaml", json.dumps(_spec("one")))
    _git(here, "init", "-q")
    text = shapes.text(recipe, min(size, 100_000)).replace("\x00", "").encode("utf-8", "replace").decode()
    return lambda: _done(here.toolgen("breaking", f"--against={text}"))


def _git(here: Project, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *words], cwd=here.root, env=environment, check=True, capture_output=True)


def _processor_time() -> float:
    """Return seconds of this process and of the children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _memory(name: str) -> float:
    """Return a line of this process's status in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def measured(work: Work) -> tuple[float, float]:
    """Return seconds of processor time, and megabytes that the work took at most."""
    gc.collect()
    if (server := getattr(work, "wire", None)) is not None:
        server.forget_peak()
        memory, begun = server.memory("VmRSS"), server.processor_time()
        work()
        return server.processor_time() - begun, max(0.0, (server.memory("VmHWM") - memory) / 2**20)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
    before, started = _memory("VmRSS"), _processor_time()
    work()
    return _processor_time() - started, max(0.0, _memory("VmHWM") - before)


def measure(recipe: Json, seconds: float) -> None:
    """Print a line of JSON for each size: seconds and megabytes. Stop after one that took long."""
    made = ENTRIES[recipe["entry"]]
    for scale in (0.1, 0.1, 1, 10, 100):
        with project() as here:
            work = made.prepare(recipe, int(made.smallest * scale), here)
            print(json.dumps(["start", scale]), flush=True)
            took, megabytes = measured(work)
        print(json.dumps(["end", scale, took, megabytes]), flush=True)
        if scale >= 1 and took > seconds / 20:
            break
    _tools.clear()
    for _, stack in _served.values():
        stack.close()
    _served.clear()


def main() -> None:
    """Measure the recipes on stdin, one a line. The argument: about how many seconds one of them may take."""
    plant()
    for number, line in enumerate(sys.stdin):
        print(json.dumps(["recipe", number]), flush=True)
        measure(json.loads(line), float(sys.argv[1]))


if __name__ == "__main__":
    main()
