"""Check the placeholders of `confirm.message`: each names a property of the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.source import Span
from toolgen.schema.document import in_place_subschemas, locate, parse_pointer
from toolgen.suggestions import did_you_mean, quoted

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"[^.|{}\s]+(?:\.[^.|{}\s]+)*")
_FORMS = "placeholders are {path.to.value} and {list|count}, nothing more"


def check_placeholders(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Yield the faults of the placeholders, each at its place."""
    confirm = tool.spec.confirm
    if confirm is None:
        return
    rest = _PLACEHOLDER.sub(lambda match: " " * len(match[0]), confirm.message)
    for brace in "{", "}":
        if brace in rest:
            yield _fault(tool, brace, f"an unmatched `{brace}`", _FORMS)
            return
    for match in _PLACEHOLDER.finditer(confirm.message):
        path, bar, count = match[1].partition("|")
        if not _PATH.fullmatch(path) or (bar and count != "count"):
            yield _fault(tool, match[0], f"{quoted(match[0])} is not a placeholder", _FORMS)
            continue
        yield from _resolve(tool, match[0], path.split("."), counted=bool(bar))


def _resolve(tool: ProgramTool, written: str, names: list[str], *, counted: bool) -> Iterator[Diagnostic]:
    nodes = _same_value_schemas(tool.input_schema, [tool.input_schema])
    for name in names:
        found = [inner for node in nodes for inner in _property(node, name)]
        if not found:
            known = [key for node in nodes for key in node.get("properties", ())]
            hint = did_you_mean(name, known) or ("known here: " + ", ".join(known[:10]) if known else "")
            yield _fault(tool, written, f"the request has no {quoted('.'.join(names))}", hint)
            return
        nodes = _same_value_schemas(tool.input_schema, found)
    if counted and nodes and not any(_may_be_array(node) for node in nodes):
        yield _fault(
            tool, written, f"{quoted('.'.join(names))} is not an array, and only arrays are counted", ""
        )


def _same_value_schemas(root: Mapping[str, Any], schemas: list[Any]) -> list[Mapping[str, Any]]:
    """Return every schema that applies to the same value as one of `schemas`."""
    views: list[Mapping[str, Any]] = []
    waiting = list(schemas)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict) or any(node is seen for seen in views):
            continue
        views.append(node)
        waiting.extend(inner for _, inner in in_place_subschemas(node, ()))
        ref = node.get("$ref")
        if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
            target = locate(root, parse_pointer(ref[1:]))
            waiting.append(None if target is None else target.value)
    return views


def _property(node: Mapping[str, Any], name: str) -> list[Any]:
    properties = node.get("properties")
    if isinstance(properties, dict) and name in properties:
        return [properties[name]]
    open_ended = node.get("additionalProperties")
    return [open_ended] if isinstance(open_ended, dict) else []


def _may_be_array(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    if kind is None:
        return "items" in node or "prefixItems" in node
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def _fault(tool: ProgramTool, written: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(_span(tool, written), "bad-placeholder", message, hint)


def _span(tool: ProgramTool, written: str) -> Span:
    """Return the place of `written` in the message; the whole message if it is escaped in the file."""
    span = tool.source.value(("confirm", "message"))
    lines = tool.source.text.split("\n")
    for number in range(span.line, min(span.line + 20, len(lines)) + 1):
        column = lines[number - 1].find(written, span.column - 1 if number == span.line else 0)
        if column >= 0:
            return Span(span.file, number, column + 1, len(written))
    return span
