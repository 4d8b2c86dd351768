"""What pydantic makes of a type hint: a JSON Schema, or none, where only the application can give it."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, PydanticJsonSchemaWarning

from toolgen.importers.python_names import members
from toolgen.schema.document import subschemas

Mode = Literal["validation", "serialization"]

# Parameters that frameworks fill in. Many of these types do have a JSON Schema, and no model could meet it.
_CONTEXTS = {
    "Context": ("mcp", "fastmcp"),
    "RunContext": ("pydantic_ai",),
    "RunContextWrapper": ("agents",),
    "ToolContext": ("agents", "google", "toolgen"),
    "ToolRuntime": ("langchain", "langgraph"),
    "Request": ("starlette", "fastapi"),
}
_MARKERS = frozenset(
    ("Depends", "Security", "Dependency", "Inject", "Provide", "InjectedToolArg", "InjectedState")
)


class _AuthorSchema(GenerateJsonSchema):
    """pydantic's own, without the titles that it makes of names: a spec is read by people."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(hint: Any, mode: Mode) -> tuple[dict[str, Any], list[str]] | None:
    """The JSON Schema of a type, or of a function's arguments, and what it cannot say; None: it has none."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            schema = TypeAdapter(hint).json_schema(
                mode=mode, schema_generator=_AuthorSchema, union_format="primitive_type_array"
            )
            lost = _drop_defaults(schema)
            json.dumps(schema, allow_nan=False)
        except Exception:  # types have hooks that pydantic calls: whatever they raise, there is no schema
            return None
    _drop_titles(schema, str(getattr(hint, "__name__", "")))
    lost += [
        str(item.message).partition(" [")[0]
        for item in told
        if issubclass(item.category, PydanticJsonSchemaWarning)
    ]
    return schema, lost


def _drop_defaults(schema: dict[str, Any]) -> list[str]:
    """Infinity is a number in Python, and none in JSON; what was dropped."""
    lost: list[str] = []
    for _, node in subschemas(schema):
        try:
            json.dumps(node.get("default"), allow_nan=False)
        except ValueError:
            lost.append(f"Default value {node['default']!r} is not JSON; left to the function")
            del node["default"]  # type: ignore[attr-defined]
    return lost


def _drop_titles(schema: dict[str, Any], name: str) -> None:
    """A title that only repeats the name of a class says nothing."""
    if schema.get("title") == name:
        del schema["title"]
    for path, node in subschemas(schema):
        if path[-2:-1] == ("$defs",) and isinstance(node, dict) and node.get("title") == path[-1]:
            del node["title"]


_FIRST = ("title", "type", "description", "format", "enum", "const")
_LAST = ("default", "additionalProperties", "required", "properties", "items", "$defs")


def laid_out(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` itself, its keywords in the order in which people write them; pydantic sorts some."""
    for _, node in list(subschemas(schema)):
        if isinstance(node, dict):
            middle = [key for key in node if key not in _FIRST and key not in _LAST]
            items = {key: node[key] for key in (*_FIRST, *middle, *_LAST) if key in node}
            node.clear()
            node.update(items)
    return schema


def is_injected(parameter: inspect.Parameter, hint: Any) -> bool:
    """Whether a framework fills in this parameter, whatever its type."""
    inner, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for marker in (*extras, parameter.default):
        cls = marker if isinstance(marker, type) else type(marker)
        if any(base.__name__ in _MARKERS for base in cls.__mro__):
            return True
    return any(_is_context(part) for part in members(inner))


def _is_context(hint: Any) -> bool:
    cls = get_origin(hint) or hint
    roots = _CONTEXTS.get(getattr(cls, "__name__", ""), ())
    return str(getattr(cls, "__module__", "")).partition(".")[0] in roots


def is_object(schema: Any, root: Mapping[str, Any], depth: int = 20) -> bool:
    """Whether every value of `schema` is an object, as far as its types say."""
    if not isinstance(schema, dict) or not depth:
        return False
    if schema.get("type") == "object":
        return True
    reference = str(schema.get("$ref", ""))
    if reference.startswith("#/$defs/"):
        return is_object(root.get("$defs", {}).get(reference.removeprefix("#/$defs/")), root, depth - 1)
    choices = schema.get("anyOf") or schema.get("oneOf") or []
    return bool(choices) and all(is_object(choice, root, depth - 1) for choice in choices)
