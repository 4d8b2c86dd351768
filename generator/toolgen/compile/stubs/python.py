"""Stubs in Python, as a module `.pyi`: functions that return TypedDicts, as code in a sandbox sees JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import ModelClass, ModelField, Record
from toolgen.compile.models.shapes import type_text as written
from toolgen.compile.models.shapes import with_floats
from toolgen.compile.python_source.literals import comment, docstring, literal
from toolgen.compile.stubs.catalogue import (
    CatalogueTypes,
    ToolTypes,
    call_text,
    field_text,
    is_huge,
    is_identifier,
)

_TYPING: Final = ("Any", "Literal", "NotRequired", "TypedDict")
_TOKEN: Final = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|#[^\n]*|\w+",
    re.DOTALL,
)
"""A docstring, a literal, a comment or a word: only the last is a name, whatever the others contain."""


def imports_of(body: str) -> str:
    """Return the imports that a text of stubs needs; empty if it needs none."""
    words = set(_TOKEN.findall(body))
    used = [word for word in _TYPING if word in words]
    return f"from typing import {', '.join(used)}\n" if used else ""


def type_definitions(catalogue: CatalogueTypes) -> dict[str, str]:
    """Return the definition of each type by its name."""
    inputs = catalogue.of_requests()
    return {name: _type(name, made, is_input=name in inputs) for name, made in catalogue.types.items()}


def function(tool: ToolTypes) -> str:
    """Return the signature of a tool's function, with its contract as docstring."""
    result = "Any" if tool.response is None else type_text(tool.response)
    if tool.chunk is not None and tool.response is None:
        result = f"list[{type_text(tool.chunk)}]"
    lines = list(_parameters(tool))
    if any("#" in line for line in lines):
        inner = "".join(f"\n    {line}" for line in lines)
        head = f"def {tool.function}({inner}\n) -> {result}:"
    else:
        head = f"def {tool.function}({' '.join(lines).removesuffix(',')}) -> {result}:"
    return f"{head}\n    {docstring(call_text(tool))}\n"


def type_text(shape: shapes.Shape) -> str:
    """Return the type of a shape as JSON data in Python."""
    return written(_printable(with_floats(shape)))


def _printable(shape: shapes.Shape) -> shapes.Shape:
    """Return a shape with the types of their values in place of enumerations that are too long to print."""
    if isinstance(shape, shapes.Literals) and is_huge(shape):
        kinds = sorted({type(value).__name__ for value in shape.values})
        return shapes.union([shapes.ClassRef(kind) for kind in kinds])
    return shapes.with_inner(shape, _printable)


def _parameters(tool: ToolTypes) -> Iterator[str]:
    """Yield the parameters, each with its comment."""
    match tool.request:
        case Record(fields, required, closed):
            if fields:
                yield "*,"
            for wire, field in fields.items():
                name = tool.parameters[wire]
                default = "" if wire in required else f" = {_default(field)}"
                said = field_text(field, is_input=True, with_default=default == " = ...")
                said = said if name == wire else f"{literal(wire)}. {said}".strip()
                yield f"{name}: {type_text(field.shape)}{default},{_comment(said)}"
            if not fields and not closed:
                yield "**arguments: Any,"
        case shapes.Map(values):
            yield f"**arguments: {type_text(values)},"
        case shape:
            yield f"arguments: {type_text(shape)}, /,"


def _default(field: ModelField) -> str:
    """Return the default of a parameter; `...` if the contract has none, or a list."""
    if field.default is None or isinstance(field.default, list | dict):
        return "..."
    return literal(field.default)


def _type(name: str, made: ModelClass, *, is_input: bool) -> str:
    if not isinstance(made.body, Record):
        (shape,) = made.shapes()
        return f"{name} = {type_text(shape)}\n"
    required = {*made.body.required}
    texts = {
        wire: type_text(field.shape) if wire in required else f"NotRequired[{type_text(field.shape)}]"
        for wire, field in made.fields.items()
    }
    comments = {wire: _comment(field_text(field, is_input=is_input)) for wire, field in made.fields.items()}
    doc = " ".join(made.doc.split())
    if _needs_call(texts):
        inner = "".join(f"\n    {literal(wire)}: {text},{comments[wire]}" for wire, text in texts.items())
        return f'{name} = TypedDict("{name}", {{{_comment(doc)}{inner}\n}})\n'
    lines = [f"    {docstring(made.doc)}"] if doc else []
    lines += [f"    {wire}: {text}{comments[wire]}" for wire, text in texts.items()]
    return f"class {name}(TypedDict):\n" + "\n".join(lines) + "\n"


def _needs_call(texts: Mapping[str, str]) -> bool:
    """True if a field cannot be written in a class: no identifier, or it hides a name that a type uses."""
    if not all(is_identifier(wire) and not wire.startswith("__") for wire in texts):
        return True
    return not {*texts}.isdisjoint(_names_in(texts.values()))


def _names_in(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (word for word in _TOKEN.findall(text) if word[0] not in "\"'")


def _comment(text: str) -> str:
    return f"  # {comment(text)}" if text else ""
