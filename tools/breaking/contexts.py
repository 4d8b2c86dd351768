"""Places in a document where an edited schema can stand, with the values that reach it there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.document import Draft

from tools.breaking.schema_writer import SchemaWriter

Wrap = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Context:
    """Puts a schema into a larger one. `wrap` puts a value where that schema judges it."""

    name: str
    embed: Callable[[Any], Any]
    wrap: Wrap
    definitions: Mapping[str, Callable[[Any], Any]]  # name → definition that holds the schema


def _same(value: Any) -> Any:
    return value


def _context(name: str, embed: Callable[[Any], Any], wrap: Wrap = _same) -> Context:
    return Context(name, embed, wrap, {})


TOP: Final = _context("top level", _same)


def _property(writer: SchemaWriter) -> Context:
    host: dict[str, Any] = {"type": "object"} if writer.some(0.8) else {}
    if writer.some(0.5):
        host["required"] = ["p"]
    if writer.some(0.5):
        host["additionalProperties"] = False
    others = {"q": writer.schema(0)} if writer.some(0.5) else {}
    return _context(
        "property",
        lambda schema: {**host, "properties": {"p": schema, **others}},
        lambda value: {"p": value},
    )


def _items(writer: SchemaWriter) -> Context:
    if writer.some(0.3):
        keyword = "items" if writer.draft is Draft.DRAFT_7 else "prefixItems"
        return _context(
            "first item", lambda schema: {"type": "array", keyword: [schema]}, lambda value: [value]
        )
    if writer.some(0.15):
        return _context("contains", lambda schema: {"contains": schema}, lambda value: [value])
    least = {"minItems": 1} if writer.some(0.4) else {}
    return _context(
        "items", lambda schema: {"type": "array", "items": schema, **least}, lambda value: [value]
    )


def _branch(writer: SchemaWriter) -> Context:
    keyword = writer.choice(("anyOf", "anyOf", "oneOf", "allOf"))
    others = [writer.schema(0)]
    first = writer.some(0.5)
    return _context(keyword, lambda schema: {keyword: [schema, *others] if first else [*others, schema]})


def _reference(writer: SchemaWriter) -> Context:
    return Context("$ref", lambda _: {"$ref": f"#/{writer.place}/Here"}, _same, {"Here": _same})


def _recursive(writer: SchemaWriter) -> Context:
    here = {"$ref": f"#/{writer.place}/Node"}
    following: Any = here if writer.some(0.6) else {"anyOf": [here, {"type": "null"}]}
    required = {"required": ["value"]} if writer.some(0.5) else {}

    def node(schema: Any) -> Any:
        return {"type": "object", "properties": {"value": schema, "next": following}, **required}

    def wrap(value: Any) -> Any:
        return {"value": value, "next": {"value": value}}

    return Context("recursive", lambda _: here, wrap, {"Node": node})


def _negation(writer: SchemaWriter) -> Context:
    return _context("not", lambda schema: {"not": schema})


def _condition(writer: SchemaWriter) -> Context:
    part = writer.choice(("if", "then", "else"))
    others = {key: writer.schema(0) for key in ("if", "then", "else") if key != part}
    return _context(part, lambda schema: {**others, part: schema})


def _values_of_object(writer: SchemaWriter) -> Context:
    if writer.some(0.3):
        return _context(
            "patternProperties",
            lambda schema: {"patternProperties": {"^p": schema}},
            lambda value: {"p": value},
        )
    return _context(
        "additionalProperties",
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda value: {"p": value},
    )


_WEIGHTED: Final = (
    (_property, 6), (_items, 4), (_branch, 4), (_reference, 2), (_recursive, 2), (_negation, 1),
    (_condition, 2), (_values_of_object, 1),
)  # fmt: skip


def contexts(writer: SchemaWriter) -> list[Context]:
    """Return up to three contexts, the outermost first."""
    count = writer.choice((0, 0, 1, 1, 1, 2, 3))
    makers = writer.random.choices(
        [maker for maker, _ in _WEIGHTED], [weight for _, weight in _WEIGHTED], k=count
    )
    # a document has one definition of each name
    unique = [
        maker for at, maker in enumerate(makers) if maker not in makers[:at] or maker in (_property, _items)
    ]
    return [maker(writer) for maker in unique]
