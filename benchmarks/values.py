"""Valid requests and responses of the tools."""

from __future__ import annotations

from typing import Any

from .corpus import MONEY, Json, spec


def arguments(number: int) -> Json:
    """Return a valid request for tool `number`."""
    fitting: Json = _value(spec(number)["input_schema"])
    return fitting


def answer(number: int) -> Json:
    """Return a valid response of tool `number`."""
    fitting: Json = _value(spec(number)["output_schema"])
    return fitting


_TEXTS = {"date": "2026-11-20", "date-time": "2026-11-20T08:30:00Z"}
_BY_PATTERN = {"^[A-Z]{2}-[0-9]{4,8}$": "AB-12345", r"^\d+\.\d\d$": "129.90"}


def _value(schema: Json, root: Json | None = None) -> Any:
    """Return a valid value for one of the schemas: every property, two items in every array."""
    root = root or schema
    if "$ref" in schema:
        return _value({"Money": MONEY, **root.get("$defs", {})}[schema["$ref"].rpartition("/")[2]], root)
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
