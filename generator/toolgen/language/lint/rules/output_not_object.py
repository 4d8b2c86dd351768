"""output-not-object: an output schema accepts values other than objects.

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

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.references.bundle import Bound
from toolgen.schema.graph import is_object_schema


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn about an output schema that MCP clients up to 2025-11-25 do not accept."""
    if bound.path == ("output_schema",) and not is_object_schema(bound.document):
        yield Diagnostic(
            bound.value(("type",)) if "type" in bound.schema else bound.key(()),
            "output-not-object",
            "MCP clients up to 2025-11-25 accept objects only, and receive this as the `result` of one",
            "wrap the value: type object with one property, such as `result`",
        )
