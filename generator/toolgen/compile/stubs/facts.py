"""What a comment says of a value beside its type: the author's words, limits, the default."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolgen.base.suggestions import count
from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import ModelField
from toolgen.compile.stubs.catalogue import ToolTypes, is_huge
from toolgen.runtime.definition.tool_definition import Fields

_SHOWN_VALUES = 8  # of an enumeration that is too long to print


def field_text(field: ModelField, *, is_input: bool, with_default: bool = True) -> str:
    """Return what is said of a field on one line; empty if nothing is. Only inputs have limits to keep."""
    doc = " ".join(field.doc.split())
    facts = [*_values(field.shape), *(_limits(field.shape) if is_input else ())]
    if is_input and with_default and field.default is not None:
        facts.append(f"default {json.dumps(field.default, ensure_ascii=False)}")
    said = "; ".join(facts)
    return f"{doc} ({said})" if doc and said else doc or said


def call_text(tool: ToolTypes) -> str:
    """Return the text of a tool: its description, that it asks the user, its errors."""
    parts = [tool.description]
    if tool.confirms:
        parts.append("Asks the user before it acts.")
    if tool.chunk is not None:
        parts.append("The result is a stream; a call returns when it has ended.")
    if tool.errors:
        parts.append("\n".join(["Errors:", *map(_error, tool.errors)]))
    return "\n\n".join(part for part in parts if part)


def _error(error: Fields) -> str:
    said = [error["description"], error.get("hint", ""), "Retryable." if error.get("retryable") else ""]
    return f"- {error['code']}: {' '.join(' '.join(said).split())}"


def _values(shape: shapes.Shape) -> Iterator[str]:
    """Yield the first values of an enumeration that is too long to print."""
    if isinstance(shape, shapes.Literals) and is_huge(shape):
        shown = ", ".join(map(str, shape.values[:_SHOWN_VALUES]))
        yield f"one of {count(len(shape.values), 'value')}: {shown}, …"
    for inner in shapes.inner_shapes(shape):
        yield from _values(inner)


def _limits(shape: shapes.Shape) -> Iterator[str]:
    match shape:
        case shapes.UnionShape(members):
            for member in members:
                yield from _limits(member)
        case shapes.Scalar(constraints=constraints) | shapes.Array(constraints=constraints):
            known = dict(constraints)
            yield from _range(known, "minimum", "maximum", "")
            yield from _range(known, "minLength", "maxLength", " characters")
            yield from _range(known, "minItems", "maxItems", " items")
            yield from (f"above {known[key]}" for key in known if key == "exclusiveMinimum")
            yield from (f"below {known[key]}" for key in known if key == "exclusiveMaximum")
            yield from (f"a multiple of {known[key]}" for key in known if key == "multipleOf")
            yield from (f"matches {known[key]}" for key in known if key == "pattern")


def _range(known: dict[str, object], least: str, most: str, noun: str) -> Iterator[str]:
    low, high = known.get(least), known.get(most)
    if low is not None and high is not None:
        yield f"{low}{noun}" if low == high else f"{low} to {high}{noun}"
    elif low == 1 and noun:
        yield "not empty"
    elif low is not None:
        yield f"at least {low}{noun}"
    elif high is not None:
        yield f"at most {high}{noun}"
