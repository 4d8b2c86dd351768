"""Check the placeholders of `confirm.message`: each names a property of the request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.source import Span
from toolgen.runtime.definition.semantics.properties import find_property, may_be_array
from toolgen.suggestions import quoted

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


def check_placeholders(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Yield the faults of the placeholders, each at its place."""
    confirm = tool.spec.confirm
    if confirm is None:
        return
    rest = _PLACEHOLDER.sub(lambda match: " " * len(match[0]), confirm.message)
    for brace in "{", "}":
        if brace in rest:
            yield _fault(tool, brace, f"an unmatched `{brace}`", _FORMS)
            return
    yield from islice(_wrong_placeholders(tool, confirm.message), _MOST_FAULTS)


def _wrong_placeholders(tool: ProgramTool, message: str) -> Iterator[Diagnostic]:
    for match in _PLACEHOLDER.finditer(message):
        path, bar, count = match[1].partition("|")
        if not _PATH.fullmatch(path) or (bar and count != "count"):
            yield _fault(tool, match[0], f"{quoted(match[0])} is not a placeholder", _FORMS)
            continue
        yield from _resolve(tool, match[0], path.split("."), counted=bool(bar))


def _resolve(tool: ProgramTool, written: str, names: list[str], *, counted: bool) -> Iterator[Diagnostic]:
    found = find_property(tool.documents["input_schema"], names)
    if found.missing:
        yield _fault(tool, written, f"the request has no {quoted('.'.join(names))}", found.hint)
    elif counted and found.schemas and not any(may_be_array(schema) for schema in found.schemas):
        yield _fault(
            tool, written, f"{quoted('.'.join(names))} is not an array, and only arrays are counted", ""
        )


def _fault(tool: ProgramTool, written: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(_span(tool, written), "bad-placeholder", message, hint)


def _span(tool: ProgramTool, written: str) -> Span:
    """Return the place of `written` in the message; the whole message if it is escaped in the file."""
    span = tool.source.value(("confirm", "message"))
    # A message of several lines is a block scalar, whose lines follow the place of the value.
    lines = tool.source.lines
    for number in range(span.line, min(span.line + 20, len(lines)) + 1):
        column = lines[number - 1].find(written, span.column - 1 if number == span.line else 0)
        if column >= 0:
            return Span(span.file, number, column + 1, len(written))
    return span
