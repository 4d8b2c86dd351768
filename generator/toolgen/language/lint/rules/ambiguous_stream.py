"""ambiguous-stream: a chunk of a stream can be valid as the response.

Example:

    output_schema: {type: string}
    stream: {chunk_schema: {type: string}}

Use instead:

    output_schema: {type: object, required: [text], properties: {text: {type: string}}}
    stream: {chunk_schema: {type: string}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolgen.base.suggestions import shortened
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool
from toolgen.proof.containment import NotContained, check_containment
from toolgen.schema.document import Schema, subschemas

_DEFINITIONS = ("$schema", "$defs", "definitions")  # keys of a document's root, which references point to


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn with a value that both the chunk schema and the output schema accept."""
    if tool.chunk_schema is None or tool.output_schema is None:
        return
    opposite = _opposite(tool.chunk_schema)
    if opposite is None:
        return
    verdict = check_containment(tool.documents["output_schema"], opposite)
    if isinstance(verdict, NotContained):
        value = shortened(json.dumps(verdict.witness, ensure_ascii=False), 80)
        yield Diagnostic(
            tool.source.value(("stream", "chunk_schema")),
            "ambiguous-stream",
            f"a chunk can be valid as the response, {value} for example",
            "tell them apart; or leave out output_schema: the result is then the list of all chunks",
        )


def _opposite(schema: Schema) -> Schema | None:
    """Return the schema of all values that `schema` refuses; None if it refers to its own root."""
    for _, node in subschemas(schema):
        reference = node.get("$ref", "#/$defs/")
        if not isinstance(reference, str) or not reference.startswith(("#/$defs/", "#/definitions/")):
            return None
    root = {key: value for key, value in schema.items() if key in _DEFINITIONS}
    return {**root, "not": {key: value for key, value in schema.items() if key not in _DEFINITIONS}}
