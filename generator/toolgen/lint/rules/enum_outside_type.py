"""enum-outside-type: a value of `enum` that `type` does not allow.

Example:

    agent: {type: string, enum: [006, 007]}

Use instead:

    agent: {type: string, enum: ["006", "007"]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath, is_type

_LONGEST = 60  # characters of a value in the message


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each value of `enum` that is not of the schema's `type`."""
    kind = node.get("type")
    # without one type there is nothing to compare the values with
    if not isinstance(kind, str):
        return
    for index, value in enumerate(node["enum"]):
        if not is_type(value, kind):
            yield Diagnostic(
                schema.bound.value((*path, "enum", index)),
                "enum-outside-type",
                f"{_shown(value)} is not of type {kind}, so no value can equal it",
                "quote it if text is meant" if kind == "string" else "remove it, or change the type",
            )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
