"""Check the placeholders of `confirm.message`: each names a property of the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.faults import SpecFault
from toolgen.schema.document import SchemaDocument

from .properties import find_property, may_be_array

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"[^.|{}\s]+(?:\.[^.|{}\s]+)*")
_MOST_FAULTS = 100  # of one message: each is compared with the properties
_FORMS = "placeholders are {path.to.value} and {list|count}, nothing more"


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
            yield _fault(brace, f"an unmatched `{brace}`", _FORMS)
            return
    yield from islice(_wrong_placeholders(request, message), _MOST_FAULTS)


def _wrong_placeholders(request: SchemaDocument, message: str) -> Iterator[SpecFault]:
    for match in _PLACEHOLDER.finditer(message):
        path, bar, count = match[1].partition("|")
        if not _PATH.fullmatch(path) or (bar and count != "count"):
            yield _fault(match[0], f"{quoted(match[0])} is not a placeholder", _FORMS)
            continue
        yield from _resolve(request, match[0], path.split("."), counted=bool(bar))


def _resolve(
    request: SchemaDocument, written: str, names: list[str], *, counted: bool
) -> Iterator[SpecFault]:
    found = find_property(request, names)
    if found.missing:
        yield _fault(written, f"the request has no {quoted('.'.join(names))}", found.hint)
    elif counted and found.schemas and not any(may_be_array(schema) for schema in found.schemas):
        yield _fault(written, f"{quoted('.'.join(names))} is not an array, and only arrays are counted", "")


def _fault(written: str, message: str, hint: str) -> SpecFault:
    return SpecFault(("confirm", "message"), "bad-placeholder", message, hint, part=written)
