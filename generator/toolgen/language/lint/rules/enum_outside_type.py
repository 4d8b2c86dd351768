"""enum-outside-type: a value of `enum` or `const` that `type` does not allow.

Example:

    agent: {type: string, enum: [006, 007]}

Use instead:

    agent: {type: string, enum: ["006", "007"]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath, is_type

_LONGEST = 60  # characters of a value in the message


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each value of `enum`, or of `const`, that is not of the schema's `type`."""
    written = node.get("type")
    kinds = [written] if isinstance(written, str) else written
    if not kinds:
        return
    values: list[tuple[JsonPath, Any]] = [
        (("enum", index), value) for index, value in enumerate(node.get("enum", ()))
    ]
    values += [(("const",), node["const"])] if "const" in node else []
    for where, value in values:
        if not any(is_type(value, kind) for kind in kinds):
            yield Diagnostic(
                schema.bound.value((*path, *where)),
                "enum-outside-type",
                f"{_shown(value)} is not of type {' or '.join(kinds)}, so no value can equal it",
                _hint(kinds, where),
            )


def _hint(kinds: Sequence[str], where: JsonPath) -> str:
    if "string" in kinds:
        return "quote it if text is meant"
    if "array" in kinds and where[0] == "enum":
        return "move `enum` into `items`, if it lists what each item may be"
    return "remove it, or change the type"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
