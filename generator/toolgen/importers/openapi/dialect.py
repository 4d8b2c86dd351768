"""Keywords of OpenAPI 3.0 in the words of JSON Schema 2020-12; each function mends one node in its place."""

from __future__ import annotations

from typing import Any

from toolgen.importers.openapi.document import Place
from toolgen.importers.openapi.repairs import Repairs
from toolgen.schema.keywords import FORMATS
from toolgen.suggestions import quoted

_BESIDE = frozenset(("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"))
_COMBINED = ("allOf", "not", "$ref", "const")
_ENCODED = {"byte": "base64", "binary": "base64"}
_WIDTHS = frozenset(
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double"]
)
_KEPT = FORMATS | {"password"}  # which the runtime masks in what it says of a fault


def numeric_bounds(node: dict[str, Any]) -> None:
    """`exclusiveMinimum: true` makes the bound beside it exclusive; false says nothing."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag = node.get(exclusive)
        if not isinstance(flag, bool):
            continue
        del node[exclusive]
        if flag and bound in node:
            node[exclusive] = node.pop(bound)


def either_null(node: dict[str, Any]) -> dict[str, Any]:
    """`node`, which takes null as well: what `nullable: true` means, wherever it is written."""
    kind = node.get("type")
    if not any(key in node for key in _COMBINED):
        if isinstance(kind, str) and not ("anyOf" in node or "oneOf" in node):
            return _with_null_value({**node, "type": [kind, "null"]})
        for key in ("anyOf", "oneOf"):
            if isinstance(node.get(key), list) and kind is None and "enum" not in node:
                given = [branch for branch in node[key] if branch != {"type": "null"}]
                return {**node, key: [*given, {"type": "null"}]}
        if kind is None:
            return _with_null_value(node)
    beside = {key: value for key, value in node.items() if key in _BESIDE}
    inner = {key: value for key, value in node.items() if key not in _BESIDE}
    return {**beside, "anyOf": [inner, {"type": "null"}]}


def _with_null_value(node: dict[str, Any]) -> dict[str, Any]:
    values = node.get("enum")
    if isinstance(values, list) and None not in values:
        return {**node, "enum": [*values, None]}
    return node


def without_format(node: dict[str, Any], at: Place, repairs: Repairs) -> None:
    """Take out a `format` that JSON Schema does not know, and so nobody would enforce."""
    name = node.get("format")
    if not isinstance(name, str) or name in _KEPT:
        return
    del node["format"]
    encoding = _ENCODED.get(name)
    if encoding and node.get("type", "string") in ("string", ["string", "null"]):
        node.setdefault("contentEncoding", encoding)
        repairs.note(f"the format {quoted(name)} is said as contentEncoding: {encoding}", at)
    elif name in _WIDTHS and node.get("type") != "string":
        repairs.note(f"the format {quoted(name)} says how a number is stored: left out", at)
    else:
        node["x-format"] = name
        repairs.note(f"the format {quoted(name)} is none of JSON Schema: kept as x-format, not enforced", at)
