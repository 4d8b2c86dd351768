"""The faults of one schema, with all of its references inside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema_rs import ReferencingError

from toolgen.base.suggestions import shortened
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.definition.semantics.json_schema import check_schema
from toolgen.runtime.definition.semantics.references import find_dangling, find_loops
from toolgen.schema.document import SchemaDocument
from toolgen.schema.validator import compiled


def find_faults(schema: Mapping[str, Any]) -> list[SpecFault]:
    """Return what the language would refuse in `schema`, checked as `toolgen generate` checks it."""
    document = SchemaDocument(schema)
    found = list(check_schema(schema, ())) or list(find_dangling(document)) or list(find_loops(document))
    if not found:
        try:
            compiled(schema)
        except (ValueError, ReferencingError) as error:
            message = shortened(str(error).split("\n", 1)[0])
            return [SpecFault((), "invalid-schema", message)]
    return found
