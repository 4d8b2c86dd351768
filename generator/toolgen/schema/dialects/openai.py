"""OpenAI: strict mode if the schema has a strict form, else the author's schema.

Strict mode wants closed objects whose properties are all required; a property that may be absent becomes one
that may be null, and `strict.restorer` removes exactly those nulls again.
The rules: https://developers.openai.com/api/docs/guides/structured-outputs
"""

from __future__ import annotations

from typing import Any

from toolgen.schema.dialects.openai_strict import NoStrictFormError, StrictConverter
from toolgen.schema.dialects.published import Loss, Published
from toolgen.schema.document import SchemaDocument, subschemas
from toolgen.schema.graph import all_uses, references_in
from toolgen.schema.providers import OPENAI_STRICT


def publish(document: SchemaDocument, strict: bool | None) -> Published:
    """Return what a tool publishes for OpenAI.

    `strict` is the spec's `targets.openai.strict`. True: the strict form if there is one, with every loss.
    False: the author's schema. None: the strict form only if nothing is lost.
    """
    unchanged = Published(document.schema)
    if strict is False:
        return unchanged
    found = to_strict(document)
    return unchanged if strict is None and (found.losses or not found.strict) else found


def to_strict(document: SchemaDocument) -> Published:
    """Return the strict form of a schema, with every loss; the author's schema if a loss is fatal."""
    converter = StrictConverter(document)
    try:
        strict = converter.root()
    except NoStrictFormError as error:
        return Published(document.schema, losses=(*converter.losses, error.loss))
    losses = (*converter.losses, *_exceeded_limits(strict))
    if any(loss.fatal for loss in losses):
        return Published(document.schema, losses=losses)
    return Published(strict, True, losses)


def _exceeded_limits(strict: dict[str, Any]) -> tuple[Loss, ...]:
    """Return a fatal loss for each of OpenAI's size limits that the schema `strict` exceeds."""
    limits, nodes = OPENAI_STRICT, [node for _, node in subschemas(strict)]
    enums = [node["enum"] for node in nodes if "enum" in node]
    names = [name for node in nodes for name in node.get("properties", ())] + list(strict.get("$defs", ()))
    consts = [node["const"] for node in nodes if "const" in node]
    text = sum(map(len, names)) + sum(map(_text_length, enums)) + _text_length(consts)
    long_text = max((_text_length(enum) for enum in enums if len(enum) > limits.long_enum), default=0)
    long_enum = f"characters in an enum of more than {limits.long_enum} values"
    counted = (
        ("properties", "properties in all", len(names) - len(strict.get("$defs", ())), limits.properties),
        ("properties", "objects inside each other", _depth(strict), limits.depth),
        ("enum", "enum values in all", sum(map(len, enums)), limits.enum_values),
        ("enum", "characters of names and values in all", text, limits.text),
        ("enum", long_enum, long_text, limits.long_enum_text),
    )
    return tuple(
        Loss((), keyword, f"Strict mode allows {limit} {what}, and there are {count}.", fatal=True)
        for keyword, what, count, limit in counted
        if count > limit
    )


def _text_length(values: list[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _children(node: dict[str, Any]) -> list[dict[str, Any]]:
    found = [*node.get("properties", {}).values(), *node.get("anyOf", ())]
    return [*found, node["items"]] if "items" in node else found


def _depth(strict: dict[str, Any]) -> int:
    """Return how deep objects are nested. References to a definition that contains itself count as 0."""
    defs = strict.get("$defs", {})
    uses = {"#": set[str]()} | {f"#/$defs/{name}": references_in(node) for name, node in defs.items()}
    known = {"#": 0} | {name: 0 for name, used in all_uses(uses).items() if name in used}

    def depth(node: dict[str, Any]) -> int:
        reference = node.get("$ref")
        if reference is None:
            below = max(map(depth, _children(node)), default=0)
            return below + (node.get("type") == "object")
        if reference not in known:
            known[reference] = depth(defs[reference.removeprefix("#/$defs/")])
        return known[reference]

    return max(map(depth, (strict, *defs.values())))
