"""Check `max_result_bytes` and `page`: the schemas have the items, and cursors that may be any text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.runtime.definition.semantics import properties
from toolgen.runtime.definition.semantics.properties import FoundProperty, find_property
from toolgen.schema.document import SchemaDocument, as_list, pointer_tokens
from toolgen.suggestions import quoted

_LIMITING: Final = ("pattern", "enum", "const", "format")
_SHORTEST: Final = 1000  # characters that a cursor may need


def check_page(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Yield the faults of a tool's pages, each at its place."""
    page, response = tool.spec.page, tool.documents.get("output_schema")
    if page is None:
        return
    if tool.spec.max_result_bytes is None:
        hint = "add `max_result_bytes`: UTF-8 bytes of compact JSON, 40000 for one"
        yield _fault(tool, (), "nothing is paged without `max_result_bytes`", hint)
    if tool.spec.stream is not None:
        yield _fault(
            tool, (), "a stream is not paged: it comes in chunks anyway", "remove `page`, or `stream`"
        )
    elif response is None:
        yield _fault(tool, (), "pages need an `output_schema` with the items and the next cursor", "add one")
    else:
        yield from _items(tool, response, page.items)
        yield from _cursor(tool, response, "cursor", page.cursor)
    yield from _cursor(tool, tool.documents["input_schema"], "from", page.from_)


def _items(tool: ProgramTool, response: SchemaDocument, pointer: str) -> Iterator[Diagnostic]:
    found = find_property(response, pointer_tokens(pointer))
    if found.missing is not None:
        yield _missing(tool, "items", "response", pointer, found)
    elif not any(map(properties.may_be_array, found.schemas)):
        message = f"{quoted(pointer)} is not an array, and only items of arrays are paged"
        yield _fault(tool, ("items",), message, "point to the array of items")


def _cursor(tool: ProgramTool, document: SchemaDocument, field: str, pointer: str) -> Iterator[Diagnostic]:
    """Yield the faults of a cursor: a string without limits, which the request may leave out."""
    subject = "request" if field == "from" else "response"
    names = pointer_tokens(pointer)
    found = find_property(document, names)
    if found.missing is not None:
        yield _missing(tool, field, subject, pointer, found)
        return
    # A cursor is for the implementation alone to read, so no keyword may limit its text.
    typed = [each for each in found.schemas if "type" in each]
    if typed and not any(map(properties.may_be_text, typed)):
        message = f"{quoted(pointer)} is not a string, and a cursor is one"
        yield _fault(tool, (field,), message, 'write `type: string`, or `type: [string, "null"]`')
    elif limit := _limit(found.schemas):
        message = f"{quoted(pointer)} has `{limit}`, and a cursor may be any text"
        remedy = f", or let it be {_SHORTEST} or more" if limit == "maxLength" else ""
        yield _fault(tool, (field,), message, f"remove `{limit}`{remedy}")
    required = any(names[-1] in as_list(each.get("required")) for each in found.holder)
    if field == "from" and required:
        message = f"{quoted(pointer)} is required, and the first page is asked for without a cursor"
        yield _fault(tool, (field,), message, "take it out of `required`")


def _limit(schemas: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the keyword by which a cursor cannot be any text; None if there is none."""
    for schema in schemas:
        for keyword in _LIMITING:
            if keyword in schema:
                return keyword
        if schema.get("maxLength", _SHORTEST) < _SHORTEST:
            return "maxLength"
    return None


def _missing(tool: ProgramTool, field: str, subject: str, pointer: str, found: FoundProperty) -> Diagnostic:
    return _fault(tool, (field,), f"the {subject} has no {quoted(pointer)}", found.hint)


def _fault(tool: ProgramTool, path: tuple[str, ...], message: str, hint: str) -> Diagnostic:
    span = tool.source.value(("page", *path)) if path else tool.source.key(("page",))
    return Diagnostic(span, "bad-page", message, hint)
