"""A schema as its source has it, as the language takes it: what is no JSON Schema is mended or left out.

What is left out is no longer enforced, so it is told; what was published is carried beside it (`x-mcp`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema_rs import ReferencingError

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Marks, Path, Source, Span
from toolgen.importers.drafts import mend_draft
from toolgen.importers.patterns import mend_patterns
from toolgen.importers.tool import SourceError
from toolgen.importers.types import mend_habits, mend_types
from toolgen.lint.loops import find_loops
from toolgen.lint.schemas import check_schema
from toolgen.references.bundle import Bundler
from toolgen.runtime.validation.compiled_schema import compiled
from toolgen.schema.budget import TooComplexError, check_budget
from toolgen.schema.document import follow, format_pointer, subschemas
from toolgen.suggestions import shortened

_ROUNDS = 50  # of taking faults out; each takes out every fault that is found
_LEAST_ROUNDS = 3
_NODES = 100_000  # subschemas looked at in all rounds together


def usable(schema: Mapping[str, Any], field: str) -> tuple[dict[str, Any], list[str]]:
    """`schema` as the language takes it in `field`, and what was done to it, a sentence each.

    Raises `SourceError` where it is too complex.
    """
    try:
        check_budget(schema)
    except TooComplexError as error:
        excess = error.excess
        message = f"{field}{format_pointer(excess.path)}: {excess.message}"
        raise SourceError(message, excess.hint, "too-complex") from None
    mended, notes = mend_types(schema, field)
    for mend in (mend_draft, mend_patterns, mend_habits):
        if next(_faults(mended, field), None) is not None:
            mended, told = mend(mended, field)
            notes += told
    if field == "input_schema":
        mended, told = _as_object(mended, field)
        notes += told
    size = sum(1 for _ in subschemas(mended))
    for _ in range(max(_LEAST_ROUNDS, min(_ROUNDS, _NODES // size))):
        faults = list(_faults(mended, field))
        if not faults:
            return mended, notes
        for path, message in faults:
            where = field + format_pointer(path)
            if not path:
                notes.append(f"{where}: {message}: nothing of this schema is enforced")
                return {"type": "object"}, notes
            removed = _without(mended, path)
            if removed:
                notes.append(f"{field}{format_pointer(removed)}: {message}: not enforced")
    notes.append(f"{field}: faults without end: nothing of this schema is enforced")
    return {"type": "object"}, notes


def _as_object(schema: dict[str, Any], field: str) -> tuple[dict[str, Any], list[str]]:
    """Arguments are an object always, whether the schema says so or not."""
    if schema.get("type") == "object":
        return schema, []
    if "type" in schema:
        told = f"{field}/type: is {json.dumps(schema['type'])}, and arguments are an object"
        return {**schema, "type": "object"}, [told]
    return {"type": "object", **schema}, [f"{field}: has no `type: object`, which arguments are"]


def _faults(schema: dict[str, Any], field: str) -> Iterator[tuple[Path, str]]:
    """Where the language would refuse `schema`, and why; () is all of it."""
    places: list[Path] = []
    source = Source(field, "", {field: schema}, lambda: _numbered(schema, field, places))
    found: list[Diagnostic] = list(check_schema(source, (field,), schema))
    if not found:
        bundler = Bundler({})
        bound = bundler.bind(schema, source, (field,))
        found = bundler.faults or list(find_loops(bound))
    if not found:
        try:
            compiled(schema)
        except (ValueError, ReferencingError) as error:
            yield (), shortened(str(error).split("\n", 1)[0])
    for fault in found:
        yield places[fault.span.line - 1], fault.message


def _numbered(schema: Any, field: str, places: list[Path]) -> Marks:
    """Every place of a schema on a line of its own: the line of a fault then tells its path."""
    spans: dict[Path, Span] = {(): Span(field, 1, 1)}
    stack: list[tuple[Path, Any]] = [((), schema)]
    places.append(())
    while stack:
        path, value = stack.pop()
        places.append(path)
        spans[(field, *path)] = Span(field, len(places), 1)
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        stack.extend(((*path, key), item) for key, item in inner)
    return Marks(spans, spans)


def _without(schema: dict[str, Any], path: Path) -> Path:
    """Take out the keyword at `path`, or that whose list `path` is in; its path, () if it is gone already."""
    while path:
        try:
            parent = follow(schema, path[:-1])
        except LookupError:
            return ()
        if isinstance(parent, dict):
            if str(path[-1]) not in parent:
                return ()
            del parent[str(path[-1])]
            return path
        path = path[:-1]
    return ()
