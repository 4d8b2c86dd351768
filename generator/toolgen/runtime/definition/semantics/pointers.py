"""Check fields that point to properties: placeholders of `confirm.message`, `confirm.only_if` and `page`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.faults import SpecFault
from toolgen.schema.document import SchemaDocument, as_list, pointer_tokens

from .only_if import default_of, is_required
from .properties import find_property, may_be_array, may_be_text

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"[^.|{}\s]+(?:\.[^.|{}\s]+)*")
_MOST_FAULTS = 100  # of one message: each is compared with the properties
_FORMS = "placeholders are {path.to.value} and {list|count}, nothing more"
_bad_placeholder = partial(SpecFault, ("confirm", "message"), "bad-placeholder")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value of the request in the question."""

    path: tuple[str, ...]
    is_counted: bool = False

    @property
    def written(self) -> str:
        """Return it without braces: `items|count`."""
        return ".".join(self.path) + ("|count" if self.is_counted else "")


def placeholders(message: str) -> list[Placeholder]:
    """Return the placeholders of a message that `check_placeholders` found no fault in."""
    parts = (match[1].partition("|") for match in _PLACEHOLDER.finditer(message))
    return [Placeholder(tuple(path.split(".")), bool(bar)) for path, bar, _ in parts]


def check_placeholders(data: Mapping[str, Any], request: SchemaDocument) -> Iterator[SpecFault]:
    """Yield the faults of the placeholders in a spec, each with its text; `request` is the input schema."""
    if "confirm" not in data:
        return
    message = data["confirm"]["message"]
    rest = _PLACEHOLDER.sub(lambda match: " " * len(match[0]), message)
    for brace in "{", "}":
        if brace in rest:
            yield _bad_placeholder(f"an unmatched `{brace}`", _FORMS, part=brace)
            return
    yield from islice(_wrong_placeholders(request, message), _MOST_FAULTS)


def _wrong_placeholders(request: SchemaDocument, message: str) -> Iterator[SpecFault]:
    for match in _PLACEHOLDER.finditer(message):
        path, bar, count = match[1].partition("|")
        fault = partial(_bad_placeholder, part=match[0])
        if not _PATH.fullmatch(path) or (bar and count != "count"):
            yield fault(f"{quoted(match[0])} is not a placeholder", _FORMS)
            continue
        found = find_property(request, path.split("."))
        if found.missing:
            yield fault(f"the request has no {quoted(path)}", found.hint)
        elif bar and found.schemas and not any(map(may_be_array, found.schemas)):
            yield fault(f"{quoted(path)} is not an array, and only arrays are counted")


def check_only_if(data: Mapping[str, Any], request: SchemaDocument) -> Iterator[SpecFault]:
    """Yield the faults of `confirm.only_if`; `request` is the input schema, whose references are valid."""
    confirm = data.get("confirm", {})
    if (pointer := confirm.get("only_if")) is None:
        return
    fault = partial(SpecFault, ("confirm", "only_if"), "bad-only-if")
    if not confirm.get("preview"):
        yield fault("a call with false is answered by the preview, and there is none", "add `preview: true`")
    if "output_schema" not in data:
        yield fault("the preview is a response then, and no `output_schema` describes it", "add one")
    names = pointer_tokens(pointer)
    found = find_property(request, names)
    if found.missing is not None:
        yield fault(f"the request has no {quoted(pointer)}", found.hint)
    elif {str(each["type"]) for each in found.schemas if "type" in each} != {"boolean"}:
        yield fault(f"{quoted(pointer)} is not a boolean", "point to a property with `type: boolean`")
    elif default_of(found.schemas) is None and not is_required(request, names):
        hint = "give it `default: false`, or add it to `required`"
        yield fault(f"{quoted(pointer)} may be left out, and has no default", hint)


def check_page(data: Mapping[str, Any], documents: Mapping[str, SchemaDocument]) -> Iterator[SpecFault]:
    """Yield the faults of a spec's pages; `documents` has its schemas by the names of their fields."""
    page, response = data.get("page"), documents.get("output_schema")
    if page is None:
        return
    fault = partial(SpecFault, ("page",), "bad-page", of_key=True)
    if "max_result_bytes" not in data:
        hint = "add `max_result_bytes`: UTF-8 bytes of compact JSON, 40000 for one"
        yield fault("nothing is paged without `max_result_bytes`", hint)
    if "stream" in data:
        yield fault("a stream is not paged: it comes in chunks anyway", "remove `page`, or `stream`")
    elif response is None:
        yield fault("pages need an `output_schema` with the items and the next cursor", "add one")
    else:
        yield from _faults_of_part(response, "items", page["items"])
        yield from _faults_of_part(response, "cursor", page["cursor"])
    yield from _faults_of_part(documents["input_schema"], "from", page["from"])


def _faults_of_part(document: SchemaDocument, field: str, pointer: str) -> Iterator[SpecFault]:
    """Yield the faults of the items, an array, or of a cursor: a string, which the request may leave out."""
    fault = partial(SpecFault, ("page", field), "bad-page")
    names, written = pointer_tokens(pointer), quoted(pointer)
    found = find_property(document, names)
    if found.missing is not None:
        yield fault(f"the {'request' if field == 'from' else 'response'} has no {written}", found.hint)
        return
    if field == "items":
        if not any(map(may_be_array, found.schemas)):
            message = f"{written} is not an array, and only items of arrays are paged"
            yield fault(message, "point to the array of items")
        return
    typed = [each for each in found.schemas if "type" in each]
    if typed and not any(map(may_be_text, typed)):
        message = f"{written} is not a string, and a cursor is one"
        yield fault(message, 'write `type: string`, or `type: [string, "null"]`')
    if field == "from" and any(names[-1] in as_list(each.get("required")) for each in found.holder):
        message = f"{written} is required, and the first page is asked for without a cursor"
        yield fault(message, "take it out of `required`")
