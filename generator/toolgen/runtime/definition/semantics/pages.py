"""Check `max_result_bytes` and `page`: the schemas have the items and the cursors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.faults import SpecFault
from toolgen.schema.document import SchemaDocument, as_list, pointer_tokens

from .properties import FoundProperty, find_property, may_be_array, may_be_text


def check_page(data: Mapping[str, Any], documents: Mapping[str, SchemaDocument]) -> Iterator[SpecFault]:
    """Yield the faults of a spec's pages; `documents` has its schemas by the names of their fields."""
    page, response = data.get("page"), documents.get("output_schema")
    if page is None:
        return
    if "max_result_bytes" not in data:
        hint = "add `max_result_bytes`: UTF-8 bytes of compact JSON, 40000 for one"
        yield _fault((), "nothing is paged without `max_result_bytes`", hint)
    if "stream" in data:
        yield _fault((), "a stream is not paged: it comes in chunks anyway", "remove `page`, or `stream`")
    elif response is None:
        yield _fault((), "pages need an `output_schema` with the items and the next cursor", "add one")
    else:
        yield from _items(response, page["items"])
        yield from _cursor(response, "cursor", page["cursor"])
    yield from _cursor(documents["input_schema"], "from", page["from"])


def _items(response: SchemaDocument, pointer: str) -> Iterator[SpecFault]:
    found = find_property(response, pointer_tokens(pointer))
    if found.missing is not None:
        yield _missing("items", "response", pointer, found)
    elif not any(map(may_be_array, found.schemas)):
        message = f"{quoted(pointer)} is not an array, and only items of arrays are paged"
        yield _fault(("items",), message, "point to the array of items")


def _cursor(document: SchemaDocument, field: str, pointer: str) -> Iterator[SpecFault]:
    """Yield the faults of a cursor: a string, which the request may leave out."""
    subject = "request" if field == "from" else "response"
    names = pointer_tokens(pointer)
    found = find_property(document, names)
    if found.missing is not None:
        yield _missing(field, subject, pointer, found)
        return
    typed = [each for each in found.schemas if "type" in each]
    if typed and not any(map(may_be_text, typed)):
        message = f"{quoted(pointer)} is not a string, and a cursor is one"
        yield _fault((field,), message, 'write `type: string`, or `type: [string, "null"]`')
    required = any(names[-1] in as_list(each.get("required")) for each in found.holder)
    if field == "from" and required:
        message = f"{quoted(pointer)} is required, and the first page is asked for without a cursor"
        yield _fault((field,), message, "take it out of `required`")


def _missing(field: str, subject: str, pointer: str, found: FoundProperty) -> SpecFault:
    return _fault((field,), f"the {subject} has no {quoted(pointer)}", found.hint)


def _fault(path: tuple[str, ...], message: str, hint: str) -> SpecFault:
    return SpecFault(("page", *path), "bad-page", message, hint, of_key=not path)
