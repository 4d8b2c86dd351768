"""Defaults of request fields: only those that the schema itself accepts, and that Python can state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from toolgen.models.unions import Shape

_CONTEXT = ("$schema", "$defs", "definitions")  # what the references of a property need around them
_REFERRING = ("$ref", "allOf", "anyOf", "oneOf", "items", "not", "if")
_PYTHON: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "null": (type(None),)
}  # fmt: skip


class Defaults:
    """The defaults of the properties of one schema document."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._context = {key: root[key] for key in _CONTEXT if key in root}

    def attach(self, shape: Shape, schema: object) -> Shape:
        """The shape with the default of `schema`, if it has one that holds."""
        if not isinstance(schema, Mapping) or schema.get("default") is None:
            return shape  # a default of null is what an optional field has anyway
        value = schema["default"]
        if not _states(shape, value) or not self._holds(schema, value):
            return shape
        return {**shape, "default": value}

    def _holds(self, schema: Mapping[str, Any], value: object) -> bool:
        context = self._context if any(key in schema for key in _REFERRING) else {}
        try:
            judge = jsonschema_rs.validator_for({**schema, **context}, validate_formats=True)
            return bool(judge.is_valid(value))
        except (ValueError, jsonschema_rs.ReferencingError):
            return False  # it leans on parts of the document that it cannot be judged without


def _states(shape: Shape, value: object) -> bool:
    """Is `value` a Python value of the type that stands for `shape`, without conversion?"""
    if not shape:
        return isinstance(value, str | int | float)
    if "enum" in shape:
        return any(value == known and type(value) is type(known) for known in shape["enum"])
    if "anyOf" in shape:
        return any(_states(member, value) for member in shape["anyOf"] if member)
    kinds = shape.get("type", ())
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind in _PYTHON and type(value) in _PYTHON[kind]:
            return True
        if kind == "array" and isinstance(value, list):
            return all(not isinstance(item, list | dict) and _states(shape["items"], item) for item in value)
    return False
