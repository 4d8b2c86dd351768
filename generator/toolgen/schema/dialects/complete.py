"""Write out what providers ask for and JSON Schema does not: `items`, `properties`, all required properties.

The values that a schema accepts stay the same, or the difference is a loss.
"""

from __future__ import annotations

from collections.abc import Set

from toolgen.schema.dialects.published import Loss
from toolgen.schema.document import JsonObject, JsonPath, Schema, as_list, as_mapping, edited, subschemas

_UNTYPED = "There is no `type`, so only objects are accepted here; toolgen accepts all that the schema does."
_FORBIDDEN = "{name!r} is required, and no property may have that name; toolgen still enforces both."


def complete(schema: Schema, needs: Set[str]) -> tuple[Schema, tuple[Loss, ...]]:
    """Return `schema` with what a provider `needs`, see `ProviderLimits`; itself if nothing is missing."""
    nodes = list(subschemas(schema)) if needs else []
    if not any(_is_concerned(node, path, needs) for path, node in nodes):
        return schema, ()
    losses: dict[JsonPath, Loss] = {}
    # with `items`, an item would count as evaluated
    fills_items = "items" in needs and not any("unevaluatedItems" in node for _, node in nodes)

    def edit(path: JsonPath, node: JsonObject) -> JsonObject:
        if fills_items and "array" in (node.get("type"), *as_list(node.get("type"))):
            node.setdefault("items", {})
        if "properties" in needs and not path:
            node.setdefault("properties", {})
        if "required" in needs and "required" in node:
            for name in [each for each in node["required"] if each not in node.get("properties", {})]:
                _declare(node, name, path, losses)
            if "type" not in node:
                node["type"], losses[*path, "type"] = "object", Loss(path, "type", _UNTYPED, always=True)
        if "required" in needs and node.get("type") == "object":
            for keyword in node.keys() & {"anyOf", "oneOf"}:
                for index, branch in enumerate(node[keyword]):
                    losses.pop((*path, keyword, index, "type"), None)  # the object around it has the type
                    _add_types(as_mapping(branch.get("properties")), as_mapping(node.get("properties")))
        return node

    made = edited(schema, edit)
    return schema if made == schema else made, tuple(losses.values())


def _is_concerned(node: Schema, path: JsonPath, needs: Set[str]) -> bool:
    """True if a provider may ask for more in a subschema: only then is the schema copied."""
    if "items" in needs and "items" not in node and "array" in (node.get("type"), *as_list(node.get("type"))):
        return True
    if "properties" in needs and not path and "properties" not in node:
        return True
    names = as_list(node.get("required")) if "required" in needs else []
    return bool(names) and (
        "type" not in node or any(name not in node.get("properties", {}) for name in names)
    )


def _declare(node: JsonObject, name: str, path: JsonPath, losses: dict[JsonPath, Loss]) -> None:
    """Declare a required property of `node`, or leave it out if it is forbidden."""
    rest = node.get("additionalProperties", True)
    if rest is not False:
        node["properties"] = {**node.get("properties", {}), name: {} if rest in (True, {}) else rest}
    else:
        node["required"].remove(name)
        losses[*path, name] = Loss(path, "required", _FORBIDDEN.format(name=name))


def _add_types(properties: Schema, known: Schema) -> None:
    """Give the properties of a branch of which it says nothing the types that they have beside it."""
    for name, schema in properties.items():
        if schema == {} and "type" in as_mapping(known.get(name)):
            schema["type"] = known[name]["type"]
