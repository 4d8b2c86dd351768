"""output-not-object: the root of an output schema is not `type: object`.

Example:

    output_schema: {type: array, items: {type: string}}

Use instead:

    output_schema:
      type: object
      required: [names]
      properties: {names: {type: array, items: {type: string}}}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.data.diagnostic import Diagnostic
from toolgen.references.bundle import Bound


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn about an output schema that MCP clients up to 2025-11-25 do not accept."""
    if bound.path == ("output_schema",) and bound.schema.get("type") != "object":
        yield Diagnostic(
            bound.value(("type",)) if "type" in bound.schema else bound.key(()),
            "output-not-object",
            "MCP clients up to 2025-11-25 accept objects only, and receive this as the `result` of one",
            "wrap the value: type object with one property, such as `result`",
        )
