"""Static definitions of every tool: plain data, no pydantic, no SDK."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime import BaseTool, ToolConfig, ToolDefinition, Toolkit

IMPLEMENTATIONS: Final = "shop_impl"

CREATE_ORDER: Final[ToolDefinition] = {
    "name": "create_order",
    "py_name": "create_order",
    "class_name": "CreateOrderTool",
    "title": "Create order",
    "description": "Create a purchase order with a supplier.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["supplier_id", "items"],
        "properties": {
            "supplier_id": {"type": "integer", "minimum": 1},
            "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Item"}},
            "priority": {"enum": ["low", "normal", "urgent"]},
            "from": {"type": "string", "format": "date"},
        },
        "$defs": {
            "Item": {
                "type": "object",
                "additionalProperties": False,
                "required": ["sku", "quantity"],
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                    "quantity": {"type": "integer", "minimum": 1},
                },
            }
        },
    },
    "output_schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["order_id", "total"],
        "properties": {
            "order_id": {"type": "integer"},
            "total": {"type": "number", "minimum": 0},
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
    },
    "errors": [
        {
            "code": "supplier_not_found",
            "description": "No such supplier.",
            "hint": "Call search_suppliers first.",
        }
    ],
    "inject": [{"name": "db", "type": "sqlite3.Connection"}],
    "timeout": 30,
    "aliases": ["make_po"],
}

DROP_TABLE: Final[ToolDefinition] = {
    "name": "drop_table",
    "py_name": "drop_table",
    "class_name": "DropTableTool",
    "description": "Drop a table.",
    "input_schema": {
        "type": "object",
        "required": ["table"],
        "properties": {"table": {"type": "string"}, "also": {"type": "array", "items": {"type": "string"}}},
    },
    "confirm": {
        "message": "Drop {table} and {also|count} more?",
        "preview": True,
        "on_unsupported": "two_step",
    },
    "inject": [{"name": "db", "type": "sqlite3.Connection"}],
}

ECHO: Final[ToolDefinition] = {
    "name": "echo",
    "py_name": "echo",
    "class_name": "EchoTool",
    "description": "Give back what came.",
    "input_schema": {"type": "object"},
    "final_answer": True,
}

PLANNED: Final[ToolDefinition] = {
    "name": "planned",
    "py_name": "planned",
    "class_name": "PlannedTool",
    "description": "Not there yet.",
    "input_schema": {"type": "object"},
}

TOOLS: Final[Mapping[str, ToolDefinition]] = {
    "create_order": CREATE_ORDER,
    "drop_table": DROP_TABLE,
    "echo": ECHO,
    "planned": PLANNED,
}

_NAMES: Final = {"make_po": "create_order"}


def tool_class(name: str) -> type[BaseTool[Any, Any]]:
    """Import and return the class of the tool called `name`, a wire name or an alias."""
    definition = TOOLS[_NAMES.get(name, name)]
    module = import_module(f"{__package__}.tools.{definition['py_name']}")
    cls: type[BaseTool[Any, Any]] = getattr(module, definition["class_name"])
    return cls


def toolkit(*, context: Mapping[str, Any] | None = None, config: ToolConfig | None = None) -> Toolkit:
    """Every tool with its configured implementation, imported on first use."""
    from toolgen.runtime import Toolkit

    return Toolkit.from_catalog(sys.modules[__name__], context=context, config=config)
