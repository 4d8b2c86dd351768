"""Resolve type hints of imported functions, name them for generated code, and make their JSON Schemas."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, PydanticJsonSchemaWarning

from toolgen.schema.document import subschemas

Mode = Literal["validation", "serialization"]

# Parameters that frameworks fill in. Many of these types have a JSON Schema that no model could satisfy.
_FRAMEWORK_CONTEXTS = {
    "Context": ("mcp", "fastmcp"),
    "RunContext": ("pydantic_ai",),
    "RunContextWrapper": ("agents",),
    "ToolContext": ("agents", "google", "toolgen"),
    "ToolRuntime": ("langchain", "langgraph"),
    "Request": ("starlette", "fastapi"),
}
_INJECTION_MARKERS = frozenset(
    ("Depends", "Security", "Dependency", "Inject", "Provide", "InjectedToolArg", "InjectedState")
)


# Names


def resolve_hint(hint: Any, function: Any) -> Any:
    """Return the type of `hint`, which may be a string. Raises whatever its expression raises."""
    holder = types.SimpleNamespace(__annotations__={"it": hint})
    names: dict[str, Any] = getattr(function, "__globals__", {})
    return typing.get_type_hints(holder, globalns=names, localns={}, include_extras=True)["it"]


def described_hint(hint: Any) -> Any:
    """Return a type with the description that `Annotated[int, "The number."]` or `Doc("…")` in it gives."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *metadata = get_args(hint)
    texts = [each if isinstance(each, str) else getattr(each, "documentation", None) for each in metadata]
    found = next((text for text in texts if isinstance(text, str)), None)
    if found is None or any(getattr(each, "description", None) for each in metadata):
        return hint
    rest = [each for each in metadata if not isinstance(each, str)]
    return Annotated[(kind, *rest, Field(description=found))]


def union_members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union without `None`; another type is its only member."""
    if get_origin(hint) is Annotated:
        return union_members(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(part for part in get_args(hint) if part is not type(None))
    return (hint,)


def dotted_name(hint: Any) -> str:
    """Return the importable name of a type (`sqlite3.Connection`); `typing.Any` if it has none."""
    parts = union_members(hint)
    cls = get_origin(parts[0]) or parts[0] if len(parts) == 1 else None
    if not isinstance(cls, type):
        return "typing.Any"
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return name if is_importable(cls.__module__, cls.__qualname__, cls) else "typing.Any"


def is_importable(module: str, path: str, expected: Any) -> bool:
    """True if generated code can import `path` from `module` and gets `expected`."""
    if not all(part.isidentifier() and part.isascii() for part in (*module.split("."), *path.split("."))):
        return False
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return found is expected or found == expected  # each access makes a new bound method


def exception_path(written: str, function: Any) -> str:
    """Return MODULE:NAME of the exception that a docstring names, "" if it cannot be imported."""
    names = getattr(function, "__globals__", {})
    first, *rest = written.split(".")
    found = names.get(first, getattr(sys.modules["builtins"], first, None))
    for part in rest:
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        return ""
    module, name = found.__module__, found.__qualname__
    return f"{module}:{name}" if "." not in name and is_importable(module, name, found) else ""


def is_injected(parameter: inspect.Parameter, hint: Any) -> bool:
    """True if a framework fills in this parameter, whatever its type."""
    inner, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for marker in (*extras, parameter.default):
        cls = marker if isinstance(marker, type) else type(marker)
        if any(base.__name__ in _INJECTION_MARKERS for base in cls.__mro__):
            return True
    return any(_is_framework_context(part) for part in union_members(inner))


def _is_framework_context(hint: Any) -> bool:
    cls = get_origin(hint) or hint
    packages = _FRAMEWORK_CONTEXTS.get(getattr(cls, "__name__", ""), ())
    return str(getattr(cls, "__module__", "")).partition(".")[0] in packages


# Schemas


class _JsonSchema(GenerateJsonSchema):
    """Pydantic's generator without titles that it derives from names, and formats that values may not have.

    Python has times without a zone, and durations with fractions, which RFC 3339 does not allow.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        return _without_format(super().datetime_schema(schema), schema)

    def time_schema(self, schema: Any) -> dict[str, Any]:
        return _without_format(super().time_schema(schema), schema)

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:
        return _without_format(super().timedelta_schema(schema), schema)


def _without_format(made: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return a JSON Schema with its format as `x-format`, unless the type demands a zone."""
    if "format" in made and schema.get("tz_constraint") != "aware":
        made["x-format"] = made.pop("format")
    return made


@dataclass(frozen=True, slots=True)
class TypeSchema:
    """The JSON Schema of a type."""

    schema: dict[str, Any]
    lost: list[str]  # what JSON Schema cannot express, one sentence each


def type_schema(hint: Any, mode: Mode) -> TypeSchema | None:
    """Return the JSON Schema of a type, or of a function's arguments; None if it has none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            schema = TypeAdapter(hint).json_schema(
                mode=mode, schema_generator=_JsonSchema, union_format="primitive_type_array"
            )
            lost = _remove_non_json_defaults(schema)
            json.dumps(schema, allow_nan=False)
        except Exception:  # types have hooks that pydantic calls; whatever they raise, there is no schema
            return None
    _remove_class_titles(schema, str(getattr(hint, "__name__", "")))
    lost += [
        str(item.message).partition(" [")[0]
        for item in caught
        if issubclass(item.category, PydanticJsonSchemaWarning)
    ]
    return TypeSchema(schema, lost)


def _remove_non_json_defaults(schema: dict[str, Any]) -> list[str]:
    """Remove default values that JSON does not have, such as infinity; return a sentence for each."""
    lost: list[str] = []
    for _, node in subschemas(schema):
        try:
            json.dumps(node.get("default"), allow_nan=False)
        except ValueError:
            lost.append(f"the default {node['default']!r} is not JSON; the function applies it")
            del node["default"]  # type: ignore[attr-defined]
    return lost


def _remove_class_titles(schema: dict[str, Any], name: str) -> None:
    """Remove titles that repeat the name of a class."""
    if schema.get("title") == name:
        del schema["title"]
    for path, node in subschemas(schema):
        if path[-2:-1] == ("$defs",) and isinstance(node, dict) and node.get("title") == path[-1]:
            del node["title"]
