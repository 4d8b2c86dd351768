"""Definitions of tools that are hard to print: names of every kind, shapes of every kind, hostile texts."""

from __future__ import annotations

from typing import Any

from toolgen.runtime.definition.tool_definition import ToolDefinition

MONEY = {
    "type": "object",
    "description": "An amount.",
    "required": ["amount"],
    "properties": {"amount": {"type": "number"}, "currency": {"enum": ["EUR", "USD"]}},
}


def tool(name: str, properties: dict[str, Any] | None = None, **fields: Any) -> ToolDefinition:
    """Return a definition whose request has these properties."""
    schema = {"type": "object", "additionalProperties": False, "properties": properties or {}}
    schema |= {key: fields.pop(key) for key in ("required", "$defs") if key in fields}
    definition: Any = {"name": name, "description": f"Do {name}.", "input_schema": schema, **fields}
    return definition


def result(properties: dict[str, Any], *required: str, **fields: Any) -> dict[str, Any]:
    """Return an output schema."""
    return {"type": "object", "properties": properties, "required": [*required], **fields}


TREE = result(
    {"root": {"$ref": "#/$defs/Node"}},
    "root",
    **{
        "$defs": {
            "Node": result({"value": {}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}})
        }
    },
)

HARD = (
    tool("create-order", {"items": {"type": "array", "items": {"type": "string"}}}),
    tool("create_order", {"list": {"type": "array", "items": {"type": "integer"}}}),
    tool("create.order"),
    *(
        tool(name)
        for name in ("print", "class", "delete", "import", "list", "Any", "None", "Promise", "_hidden")
    ),
    *(
        tool(name)
        for name in ("9lives", "größe", "ﬁle", "日本", "---", "NotRequired", "TypedDict", "await", "self")
    ),
    tool(
        "odd_fields",
        {
            name: {
                "type": ["string", "null"],
                "description": 'ends """ a */ comment \\ # type: ignore\nor not',
            }
            for name in (
                *("class", "user-id", "user_id", "__private", "__init__", "str"),
                *("list", "", "a b", "1", '"'),
            )
        },
        required=["class", "user-id"],
        output_schema=result(
            {
                name: {"type": "string"}
                for name in ("from", "int", "str", "__dunder", "x-y", "Any", "\u202e", "\n")
            },
            "int",
        ),
    ),
    tool("hidden_names", output_schema=result({"str": {"type": "string"}, "other": {"type": "string"}})),
    tool("tree", output_schema=TREE),
    tool("self_reference", output_schema=result({"next": {"$ref": "#"}})),
    tool(
        "shapes",
        {
            "choice": {"anyOf": [{"type": "string"}, MONEY, {"type": "array", "items": MONEY}]},
            "huge": {"enum": [f"value {number}" for number in range(500)]},
            "mixed": {"enum": ["a", 1, None, "quote\"' \\ \u2028"]},
            "big": {"const": 2**70},
            "bounded": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "anything": True,
            "list_default": {"type": "array", "items": {"type": "string"}, "default": ["a"]},
        },
        output_schema={"type": "array", "items": MONEY},
    ),
    {"name": "any_request", "description": "", "input_schema": {"type": "object"}},
    {
        "name": "branches",
        "description": "Two kinds of requests.",
        "input_schema": {
            "anyOf": [result({"a": {"type": "string"}}, "a"), result({"b": {"type": "integer"}}, "b")]
        },
    },
    {
        "name": "numbers",
        "description": "Requests of any keys.",
        "input_schema": {"type": "object", "additionalProperties": {"type": "number"}},
        "stream": {"chunk_schema": {"type": "string"}},
    },
    tool("order_a", {"price": {"$ref": "#/$defs/Money"}}, output_schema=MONEY, **{"$defs": {"Money": MONEY}}),
    tool("order_b", {"price": {"$ref": "#/$defs/Money"}}, output_schema=MONEY, **{"$defs": {"Money": MONEY}}),
    tool(
        "order_c",
        {"price": {"$ref": "#/$defs/Money"}},
        **{"$defs": {"Money": {**MONEY, "properties": {"cents": {"type": "integer"}}}}},
    ),
)
"""Tools that break a printer which does not expect them."""
