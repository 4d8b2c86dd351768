"""Patterns as Python writes them, told as JSON Schema does."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from toolgen.lint.schemas import compiles
from toolgen.schema.document import format_pointer, subschemas
from toolgen.suggestions import quoted

_PYTHONS = re.compile(r"\\Z|\(\?P=(?P<group>\w+)\)|\{,(?P<most>[0-9]+)\}|\(\?#[^)]*\)|\\.", re.DOTALL)


def mend_patterns(schema: Any, field: str) -> tuple[Any, list[str]]:
    """A copy of `schema` with those patterns in ECMA-262's words that only Python reads; what was done."""
    copy = deepcopy(schema)
    notes: list[str] = []
    for path, node in subschemas(copy):
        pattern = node.get("pattern")
        if not isinstance(node, dict) or not isinstance(pattern, str) or compiles(pattern):
            continue
        told = _PYTHONS.sub(_told, pattern)
        if told != pattern and compiles(told):
            node["pattern"] = told
            where = field + format_pointer((*path, "pattern"))
            notes.append(f"{where}: {quoted(pattern)} is Python's; read as {quoted(told)}")
    return copy, notes


def _told(found: re.Match[str]) -> str:
    if found[0] == "\\Z":
        return "$"
    if found["group"]:
        return f"\\k<{found['group']}>"
    if found["most"]:
        return f"{{0,{found['most']}}}"
    return "" if found[0].startswith("(?#") else found[0]
