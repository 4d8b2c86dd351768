"""Output schemas as clients can compile them.

The TypeScript SDK up to 1.x compiles the output schemas of all tools when it lists them, and refuses the list
if it cannot; later ones, and the Python SDK, fail after the call. Ajv takes patterns in JavaScript's Unicode
mode, and refuses some keywords that mean nothing to JSON Schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from toolgen.schema.document import SchemaDocument, edited, subschemas
from toolgen.schema.graph import is_object_schema

_SUSPICIOUS: Final = re.compile(
    r'"(?:pattern|patternProperties|nullable|\$?id|\$anchor|\$dynamicAnchor)": |\[\]'
)
_NAMES: Final = ("$id", "$anchor", "$dynamicAnchor")
_INVERTING: Final = frozenset(("not", "if", "oneOf", "contains", "patternProperties"))
"""Keywords: the whole may accept less without them, or if a schema below them accepts more."""
_PORTABLE: Final = re.compile(
    r"""(?:\^|\$|\||\((?:\?[:=!])?|\\[bB]
        |(?:\\[dDwWsStnvfr^$\\.*+?()\[\]{}|/]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\.|\)|[^\\^$.*+?()\[\]{}|]
          |\[\^?-?(?:\\[dDwWsS](?!-[^\]])|\\[tnvfr^$\\.*+?()\[\]{}|/-]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}
            |(?!-\\[dDwWsS])[^\\\[\]])*\])
         (?:(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)?)*""",
    re.VERBOSE,
)


def readable_output(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an output schema without what clients cannot compile. It accepts at least the same values."""
    if _SUSPICIOUS.search(json.dumps(schema)) is None:
        return schema
    nodes = [*subschemas(schema)]
    names = [str(node[key]) for _, node in nodes for key in _NAMES if key in node]
    lost = {(key, *path) for path, node in nodes for key in node if not _is_readable(node, key)}
    deciding = {each for each in lost if each[0] not in ("id", "nullable")}
    if len({*names}) < len(names) or any(not _INVERTING.isdisjoint(each) for each in deciding):
        return {"type": "object"} if is_object_schema(SchemaDocument(schema)) else {}
    found: Mapping[str, Any] = edited(
        schema, lambda _, node: {key: value for key, value in node.items() if _is_readable(node, key)}
    )
    return found if lost else schema


def _is_readable(node: Mapping[str, Any], key: str) -> bool:
    value = node[key]
    if key in ("pattern", "patternProperties"):
        return all(map(_is_portable, [value] if isinstance(value, str) else value))
    if key == "nullable":  # of OpenAPI
        return value is True and "type" in node
    return key != "id" and (key != "enum" or bool(value))  # `id` is of draft 4


def _is_portable(pattern: str) -> bool:
    """True if JavaScript, in its Unicode mode, and Python compile a pattern."""
    with suppress(re.error, OverflowError, RecursionError):
        return _PORTABLE.fullmatch(pattern) is not None and re.compile(pattern) is not None
    return False
