"""Findings of a comparison as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolgen.compat.finding import Category, Finding, Level, Witness
from toolgen.data.source import Span
from toolgen.escaping.characters import printable
from toolgen.report.text import Heading, block, location, split_lines

_MAX_WITNESS: Final = 300  # characters of a value that is shown whole
_MAX_TEXT: Final = 40  # of a longer value: characters of a text, entries of an array and of an object
_MAX_ITEMS: Final = 3
_MAX_PROPERTIES: Final = 30
_MAX_TOOLS: Final = 5  # that are listed
_MAX_LINE: Final = 2_000
_NOWHERE: Final = Span("(no file)", 1, 1)
_CONCERNS: Final = {
    Category.WIRE: "callers",
    Category.SAFETY: "safety of users",
    Category.SOURCE: "code that imports generated names",
    Category.AGENT: "models",
    Category.IMPL: "the implementation",
}


def render(findings: Iterable[Finding], texts: Mapping[str, bytes | str], *, color: bool = False) -> str:
    """Return a block for each finding; `texts` maps the files of places to their contents."""
    lines: dict[str, list[str]] = {}
    blocks = []
    for finding in findings:
        span = finding.places.new or finding.places.old or _NOWHERE
        if span.file not in lines:
            lines[span.file] = split_lines(texts.get(span.file, ""))
        heading = Heading(finding.level.value, finding.code, printable(_title(finding)))
        blocks.append(block(span, heading, _labels(finding), lines[span.file], color=color))
    return "".join(blocks)


def _title(finding: Finding) -> str:
    if finding.tools:
        return f"{len(finding.tools):,} tools: {finding.message}"
    return f"{finding.tool}: {finding.message}" if finding.tool else finding.message


def listed_tools(names: Sequence[str]) -> str:
    """Return the first names, and how many there are beside them."""
    shown = ", ".join(names[:_MAX_TOOLS])
    return shown if len(names) <= _MAX_TOOLS else f"{shown} and {len(names) - _MAX_TOOLS:,} more"


def as_data(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return each finding as plain data. Lines and columns count from 1, `length` is in characters."""
    return [
        {
            "rule": each.code,
            "category": each.category.value,
            "direction": each.direction.value if each.direction else None,
            "level": each.level.value,
            "tool": each.tool or None,
            "tools": list(each.all_tools),
            "pointer": each.pointer,
            "message": each.message,
            "hint": each.hint,
            "place": _place(each.places.new),
            "old_place": _place(each.places.old),
            "witness": _witness(each.witness),
            "fingerprint": each.fingerprint,
            "accepted": each.accepted or None,
        }
        for each in findings
    ]


def _labels(finding: Finding) -> Iterable[tuple[str, str]]:
    places = finding.places
    if places.new is not None and places.old is not None:
        yield "before", location(places.old)
    is_unsafe = finding.category is Category.SAFETY and finding.level is Level.ERROR
    yield "breaks" if is_unsafe else "concerns", _CONCERNS[finding.category]
    if finding.tools:
        rest = " (--format json has all)" if len(finding.tools) > _MAX_TOOLS else ""
        yield "tools", printable(f"{listed_tools(finding.tools)}{rest}")
    if finding.witness is not None:
        of_tool = f" (of {finding.tools[0]})" if finding.tools else ""
        yield "witness", printable(f"{_in_words(finding.witness)}{of_tool}")
    if finding.accepted:
        yield "accepted", printable(finding.accepted)
    elif finding.hint:
        yield "help", printable(finding.hint)


def _in_words(witness: Witness) -> str:
    text = json.dumps(witness.value, ensure_ascii=False)
    if len(text) > _MAX_WITNESS and (short := _abridged(witness.value)) != witness.value:
        text = f"{json.dumps(short, ensure_ascii=False)[:_MAX_LINE]} (--format json has all of it)"
    was_valid = witness.accepted_by == "old"
    return f"{text} was valid, and no longer is" if was_valid else f"{text} is now valid, and was not before"


def _abridged(value: Any) -> Any:
    """Return `value` with the length of long texts and arrays instead of all that they hold."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else f"{value[:10]}… ({len(value):,} characters)"
    if isinstance(value, list):
        first = [_abridged(each) for each in value[:_MAX_ITEMS]]
        return first if len(value) <= _MAX_ITEMS else [*first, f"… ({len(value):,} items)"]
    if isinstance(value, dict):
        some = {_abridged(name): _abridged(inner) for name, inner in list(value.items())[:_MAX_PROPERTIES]}
        return some if len(value) <= _MAX_PROPERTIES else {**some, "…": f"({len(value):,} properties)"}
    return value


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    return None if witness is None else {"value": witness.value, "accepted_by": witness.accepted_by}


def _place(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}
