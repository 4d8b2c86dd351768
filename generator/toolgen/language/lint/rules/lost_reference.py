"""lost-reference: a `$ref` in the input schema that some clients do not follow.

Example:

    properties: {price: {$ref: "#/$defs/Money"}}
    $defs: {Money: {type: number}}

Use instead:

    properties: {price: {type: number}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import subschemas

_DEFINITIONS: Final = (("$defs",), ("definitions",))


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn once about the first reference of the input schema, outside of definitions."""
    if bound.path != ("input_schema",):
        return
    used = (
        path for path, node in subschemas(bound.schema) if "$ref" in node and path[:1] not in _DEFINITIONS
    )
    first = next(used, None)
    if first is not None:
        yield Diagnostic(
            bound.key((*first, "$ref")),
            "lost-reference",
            "clients that do not follow `$ref` show a model no type for this value",
            'set `[mcp] references = "inline"`, or `targets: {mcp: {inline: true}}` in the spec',
        )
