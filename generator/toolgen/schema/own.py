"""What one subschema says by its own keywords, without `$ref` and combinators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolgen.schema import Loss
from toolgen.schema.keywords import ASSERTED_FORMATS
from toolgen.schema.limits import OPENAI_FORMATS, OPENAI_KEYWORDS
from toolgen.schema.merge import Draft, Extras, Node, Part, Types
from toolgen.schema.pointer import Path

_NUMBERS: Final = ("integer", "number")

_ENFORCED: Final = "Strict mode cannot say `{keyword}`; toolgen still enforces it."

_DROPPED: Final[dict[str, tuple[Types | None, Callable[[Any], bool]]]] = {
    # keyword → the types that it constrains (None: all), and whether its value constrains anything
    "not": (None, lambda value: value is not False),
    "dependentRequired": (("object",), bool),
    "dependentSchemas": (("object",), bool),
    "dependencies": (("object",), bool),
    "propertyNames": (("object",), lambda value: value not in (True, {})),
    "minProperties": (("object",), bool),
    "maxProperties": (("object",), lambda value: True),
    "contains": (("array",), lambda value: True),
    "uniqueItems": (("array",), bool),
    "unevaluatedItems": (("array",), lambda value: value not in (True, {})),
    "minLength": (("string",), bool),
    "maxLength": (("string",), lambda value: True),
}


def own_draft(schema: Mapping[str, Any], path: Path) -> Draft:
    """The draft of `schema` alone, at `path` of the author's schema."""
    losses: list[tuple[Types | None, Loss]] = []
    for keyword, (types, says) in _DROPPED.items():
        if keyword in schema and says(schema[keyword]):
            losses.append((types, Loss(path, keyword, _ENFORCED.format(keyword=keyword))))
    if "if" in schema and ("then" in schema or "else" in schema):
        losses.append((None, Loss(path, "if", _ENFORCED.format(keyword="if"))))
    losses += [
        (None, Loss(path, keyword, f"Strict mode has no `{keyword}`.", fatal=True))
        for keyword in ("$dynamicRef", "$recursiveRef")
        if keyword in schema
    ]
    if path and "$ref" in schema and "$id" in schema:
        losses.append((None, Loss(path, "$id", "A `$ref` is relative to this `$id`.", fatal=True)))
    types = schema.get("type")
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if "const" in schema and "enum" in schema:
        losses.append((None, Loss(path, "enum", _ENFORCED.format(keyword="enum"))))
    description = schema.get("description")
    extras, object_losses = _extras(schema, path)
    items, array_losses = _items(schema, path)
    return Draft(
        tuple(types) if isinstance(types, list) else (types,) if isinstance(types, str) else None,
        None if values is None else tuple(values),
        "const" in schema,
        _keywords(schema, path, losses),
        {
            name: (Part(child, (*path, "properties", name)),)
            for name, child in schema.get("properties", {}).items()
        },
        frozenset(schema.get("required", ())),
        extras,
        items,
        (description,) if isinstance(description, str) and description else (),
        (
            *losses,
            *((("object",), loss) for loss in object_losses),
            *((("array",), loss) for loss in array_losses),
        ),
    )


def _keywords(
    schema: Mapping[str, Any], path: Path, losses: list[tuple[Types | None, Loss]]
) -> dict[str, tuple[Types, Any]]:
    """Constraints that strict mode can say; `losses` gets what it cannot."""
    found: dict[str, tuple[Types, Any]] = {}
    for types in (("string",), _NUMBERS, ("array",)):
        for keyword in schema:
            if keyword in OPENAI_KEYWORDS[types[0]]:
                found[keyword] = (types, schema[keyword])
    if "format" in found and schema["format"] not in OPENAI_FORMATS:
        del found["format"]
        if schema["format"] in ASSERTED_FORMATS:
            reason = f"Strict mode has no format {schema['format']!r}; toolgen still enforces it."
            losses.append((("string",), Loss(path, "format", reason)))
    return found


def _extras(schema: Mapping[str, Any], path: Path) -> tuple[Extras, list[Loss]]:
    """Whether properties that are not declared are accepted."""
    extra = schema.get("additionalProperties")
    patterns = schema.get("patternProperties") or {}
    losses = []
    if any(child is not False for child in patterns.values()):
        reason = "Strict mode has no properties whose names are not known."
        losses.append(Loss(path, "patternProperties", reason, fatal=True))
    elif patterns:
        losses.append(Loss(path, "patternProperties", _ENFORCED.format(keyword="patternProperties")))
    if extra is False:
        return "closed", losses
    unevaluated = schema.get("unevaluatedProperties", False)
    if extra is None and unevaluated is False:
        return "unsaid", losses
    keyword = "unevaluatedProperties" if extra is None else "additionalProperties"
    reason = "The object takes properties that are not declared; strict mode has only closed objects."
    return "open", [*losses, Loss(path, keyword, reason, fatal=True)]


def _items(schema: Mapping[str, Any], path: Path) -> tuple[Node | None, list[Loss]]:
    """What every item is; positions have no strict form."""
    items = schema.get("items")
    keyword = "prefixItems" if "prefixItems" in schema else "items" if isinstance(items, list) else None
    if keyword is not None:
        return None, [Loss(path, keyword, "Strict mode has no positional items.", fatal=True)]
    return (None if items is None else (Part(items, (*path, "items")),)), []
