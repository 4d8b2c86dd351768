"""lost-reference: a `$ref` in the input schema that some clients do not follow.

Example:

    properties: {price: {$ref: "#/$defs/Money"}}
    $defs: {Money: {type: number}}

Use instead:

    properties: {price: {type: number}}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.data.diagnostic import Diagnostic
from toolgen.references.bundle import Bound
from toolgen.schema.document import subschemas


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn once about the first reference of the input schema."""
    if bound.path != ("input_schema",):
        return
    first = next((path for path, node in subschemas(bound.schema) if "$ref" in node), None)
    if first is not None:
        yield Diagnostic(
            bound.key((*first, "$ref")),
            "lost-reference",
            "clients that do not follow `$ref` show a model no type for this value",
            'set `[mcp] references = "inline"`, or `targets: {mcp: {inline: true}}` in the spec',
        )
