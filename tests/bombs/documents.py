"""Schemas of any depth as text, in the documents that toolgen reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .families import Schema


class _Text(str):
    """A fragment of the result; any other text is a JSON value."""


def to_json(value: Any) -> str:
    """Return `value` as JSON without recursion, unlike `json.dumps`."""
    out: list[str] = []
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, _Text):
            out.append(part)
        elif isinstance(part, dict):
            stack.append(_Text("}"))
            for index, (key, inner) in reversed(list(enumerate(part.items()))):
                stack += [inner, _Text(f"{', ' if index else ''}{json.dumps(key)}: ")]
            stack.append(_Text("{"))
        elif isinstance(part, list):
            stack.append(_Text("]"))
            for index, inner in reversed(list(enumerate(part))):
                stack += [inner, _Text(", " if index else "")]
            stack.append(_Text("["))
        else:
            out.append(json.dumps(part))
    return "".join(out)


def write_project(folder: Path, schema: Schema | None = None) -> None:
    """Write a project to `folder`, with one tool if a schema is given."""
    (folder / "specs").mkdir()
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    if schema is not None:
        tool = {"name": "bomb", "description": "A tool.", "input_schema": schema}
        (folder / "specs" / "bomb.yaml").write_text(to_json(tool))


def write_source(folder: Path, kind: str, schema: Schema) -> None:
    """Write a file `source.json` for `toolgen import <kind>`."""
    (folder / "source.json").write_text(to_json(_SOURCES[kind](schema)))


def _openapi(schema: Schema) -> Any:
    own = {key: inner for key, inner in schema.items() if key != "$defs"}
    body = {"content": {"application/json": {"schema": {"$ref": "#/$defs/bomb"}}}}
    operation = {
        "operationId": "bomb",
        "requestBody": body,
        "responses": {"200": {"description": "Done.", **body}},
    }
    text = to_json(
        {
            "openapi": "3.1.0",
            "info": {"title": "Bombs", "version": "1"},
            "paths": {"/bomb": {"post": operation}},
            "components": {"schemas": {**schema.get("$defs", {}), "bomb": own}},
        }
    )
    return _Text(text.replace("#/$defs/", "#/components/schemas/"))


_SOURCES = {
    "mcp": lambda schema: {"name": "bomb", "description": "A tool.", "inputSchema": schema},
    "openai": lambda schema: {
        "type": "function",
        "function": {"name": "bomb", "description": "A tool.", "parameters": schema},
    },
    "openapi": _openapi,
}
