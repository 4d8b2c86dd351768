"""TypeScript declarations: stubs of functions, and the types of a client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, assert_never

from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import ModelClass, ModelField, Record
from toolgen.compile.python_source.literals import escape_unprintable
from toolgen.compile.stubs.catalogue import CatalogueTypes, ToolTypes, call_text, field_text, is_huge
from toolgen.schema.document import EXACT

_SCALARS: Final = {"string": "string", "boolean": "boolean", "integer": "number", "number": "number"}
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_WORDS: Final = (
    "arguments await break case catch class const continue debugger default delete do else enum eval export "
    "extends false finally for function if implements import in instanceof interface let new null package "
    "private protected public return static super switch this throw true try typeof undefined var void while "
    "with yield"
)
WORDS: Final = frozenset(_WORDS.split())
"""Words that no function can be called."""


def type_definitions(catalogue: CatalogueTypes, *, open_objects: bool = False) -> dict[str, str]:
    """Return the declaration of each type by its name.

    With `open_objects`, a type accepts the properties that its schema allows beside the declared ones.
    """
    inputs = catalogue.of_requests()
    return {
        name: _type(name, made, is_input=name in inputs, open_objects=open_objects)
        for name, made in catalogue.types.items()
    }


def function(tool: ToolTypes) -> str:
    """Return the declaration of a tool's function, with its contract as a comment."""
    return (
        f"{doc_comment(call_text(tool))}"
        f"declare function {tool.function}({argument_text(tool)}): Promise<{result_text(tool)}>;\n"
    )


def result_text(tool: ToolTypes) -> str:
    """Return the type of what a call returns."""
    if tool.response is None and tool.chunk is not None:
        return _in_list(tool.chunk)
    return "unknown" if tool.response is None else type_text(tool.response)


def type_text(shape: shapes.Shape) -> str:
    """Return the type of a shape."""
    match shape:
        case shapes.ClassRef(name) | shapes.NamedType(name):
            return name
        case shapes.Literals(values):
            if is_huge(shape):
                kinds = {"string" if isinstance(value, str) else "number" for value in values}
                return " | ".join(sorted(kinds))
            return " | ".join(dict.fromkeys(map(_literal, values)))
        case shapes.UnionShape(members):
            return " | ".join(dict.fromkeys(map(type_text, members)))
        case shapes.Scalar(kind):
            return _SCALARS[kind]
        case shapes.Array(items):
            return _in_list(items)
        case shapes.Map(values):
            return f"Record<string, {type_text(values)}>"
        case shapes.Null():
            return "null"
        case shapes.Anything():
            return "unknown"
        case _:
            assert_never(shape)


def members(record: Record, *, is_input: bool, open_objects: bool, indent: str = "  ") -> Iterator[str]:
    """Yield the lines of an object type's body."""
    for wire, field in record.fields.items():
        yield from _member(wire, field, wire in record.required, is_input=is_input, indent=indent)
    if open_objects and not record.closed:
        yield f"{indent}[key: string]: unknown;"


def doc_comment(text: str, indent: str = "") -> str:
    """Return a JSDoc comment, which no text can end; empty without text."""
    lines = [escape_unprintable(line.rstrip()).replace("*/", "*\\/") for line in text.strip().splitlines()]
    if not any(lines):
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    inner = "\n".join(f"{indent} * {line}".rstrip() for line in lines)
    return f"{indent}/**\n{inner}\n{indent} */\n"


def _member(wire: str, field: ModelField, required: bool, *, is_input: bool, indent: str) -> Iterator[str]:
    if comment := doc_comment(field_text(field, is_input=is_input), indent):
        yield comment.rstrip("\n")
    name = wire if _IDENTIFIER.fullmatch(wire) else _literal(wire)
    yield f"{indent}{name}{'' if required else '?'}: {type_text(field.shape)};"


def argument_text(tool: ToolTypes) -> str:
    """Return the parameter of a function: one object, as the tool takes it."""
    match tool.request:
        case Record(fields, required) as record:
            if not fields:
                return "" if record.closed else "args?: Record<string, unknown>"
            body = "\n".join(members(record, is_input=True, open_objects=False))
            return f"args{'' if required else '?'}: {{\n{body}\n}}"
        case shape:
            return f"args: {type_text(shape)}"


def _type(name: str, made: ModelClass, *, is_input: bool, open_objects: bool) -> str:
    if not isinstance(made.body, Record):
        (shape,) = made.shapes()
        return f"{doc_comment(made.doc)}export type {name} = {type_text(shape)};\n"
    body = "".join(f"{line}\n" for line in members(made.body, is_input=is_input, open_objects=open_objects))
    return f"{doc_comment(made.doc)}export interface {name} {{\n{body}}}\n"


def _in_list(items: shapes.Shape) -> str:
    text = type_text(items)
    return f"({text})[]" if " | " in text else f"{text}[]"


def _literal(value: str | int) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return str(value) if abs(value) <= EXACT else "number"  # larger ones are no numbers of their own
