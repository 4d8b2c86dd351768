"""The same tools as input for other tools, as `tools/list` and as OpenAPI; and valid values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from .corpus import MONEY, SHARED, Json, name, spec


def mcp_document(count: int) -> str:
    """Return the same tools as a `tools/list` result."""
    return json.dumps({"tools": [tool(number) for number in range(count)]})


def openapi_document(count: int) -> str:
    """Return the same tools as operations: POST with the request as body, and the response as 200."""
    paths: Json = {}
    components: Json = {}
    for number in range(count):
        path, said = name(number), tool(number)
        base = path.title().replace("_", "")
        for schema, suffix in ((said["inputSchema"], "Request"), (said["outputSchema"], "Response")):
            _as_components(schema, base, suffix, components)
        paths[f"/{path}"] = {"post": _operation(said, base)}
    info = {"title": "bench", "version": "1.0.0"}
    return json.dumps(
        {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": components}}
    )


def arguments(number: int) -> Json:
    """Return a valid request for tool `number`."""
    fitting: Json = _value(tool(number)["inputSchema"])
    return fitting


def answer(number: int) -> Json:
    """Return a valid response of tool `number`."""
    fitting: Json = _value(tool(number)["outputSchema"])
    return fitting


def tool(number: int) -> Json:
    """Return tool `number` as MCP publishes it."""
    said = spec(number)
    output = said["output_schema"]
    if number % 3 == 0:  # as toolgen bundles a shared schema
        output = _with_refs(output, {f"{SHARED}#/$defs/Money": "#/$defs/Money"})
        output["$defs"] = {"Money": deepcopy(MONEY)}
    parts = (
        "Use when: " + said["use_when"],
        "Avoid when: " + said["avoid_when"],
        "Returns: " + said["returns"],
    )
    return {
        "name": said["name"],
        "title": said["title"],
        "description": "\n\n".join((said["description"], *parts)),
        "inputSchema": said["input_schema"],
        "outputSchema": output,
        "annotations": {**said["annotations"], "title": said["title"]},
        "_meta": {"toolgen/version": said["version"]},
    }


def _as_components(schema: Json, base: str, suffix: str, components: Json) -> None:
    """Return a schema and its `$defs` as entries of `components`."""
    inner = schema.get("$defs", {})
    moved = {f"#/$defs/{key}": f"#/components/schemas/{base}{key}" for key in inner}
    for key, definition in inner.items():
        components[base + key] = _with_refs(definition, moved)
    components[base + suffix] = _with_refs({k: v for k, v in schema.items() if k != "$defs"}, moved)


def _operation(said: Json, base: str) -> Json:
    def content(suffix: str) -> Json:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{base}{suffix}"}}}

    return {
        "operationId": said["name"],
        "summary": said["title"],
        "description": said["description"],
        "tags": ["tools"],
        "requestBody": {"required": True, "content": content("Request")},
        "responses": {"200": {"description": "Done.", "content": content("Response")}},
    }


def _with_refs(schema: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(schema, list):
        return [_with_refs(item, moved) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: moved.get(value, value) if key == "$ref" else _with_refs(value, moved)
        for key, value in schema.items()
    }


_TEXTS = {"date": "2026-11-20", "date-time": "2026-11-20T08:30:00Z"}
_BY_PATTERN = {"^[A-Z]{2}-[0-9]{4,8}$": "AB-12345", r"^\d+\.\d\d$": "129.90"}


def _value(schema: Json, root: Json | None = None) -> Any:
    """Return a valid value for one of the schemas: every property, two items in every array."""
    root = root or schema
    if "$ref" in schema:
        return _value(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {key: _value(inner, root) for key, inner in schema["properties"].items()}
        case "array":
            return [_value(schema["items"], root) for _ in range(2)]
        case "string":
            pattern = _BY_PATTERN.get(schema.get("pattern", ""))
            return pattern or _TEXTS.get(schema.get("format", ""), "as it was agreed by telephone")
        case "number":
            return 0.5
        case "integer":
            return 7
        case other:
            return {"boolean": True}[other]
