"""Constraints and defaults that mean the same to pydantic as to JSON Schema, to the last value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolgen.models.shapes import Shape

_EXACT = 2**53  # integers up to here survive as floats
_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

# Characters, classes of plain characters, groups, alternatives and counts mean the same in every dialect of
# regular expressions. Look-arounds, back references, \s, \b, and negations of \d and \w do not.
_CHARACTER = r"(?:[\w \-/:;,<>=!@#%&'\"~`]|\\[dwtn.\-/\\+*?()\[\]{}|^$])"
_MEMBER = r"[A-Za-z0-9_ .,:;@/+*#%&=-]|\\[.\-/\\+*\]\[]"
_SET = rf"\[(?:\^(?:{_MEMBER})+|(?:{_MEMBER}|\\[dw])+)\]"
_COUNT = r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?"
_PLAIN_PATTERN = re.compile(rf"\^?(?:(?:{_CHARACTER}|{_SET}|\.|\((?:\?:)?|\)|\|){_COUNT})*\$?", re.ASCII)


def bounds(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Those keywords of `schema` that constrain a `kind` and that a model can state exactly."""
    found: dict[str, Any] = {}
    for key in _LENGTHS.get(kind, ()):
        length = schema.get(key)
        if type(length) is int and length >= 0:
            found[key] = length
    if kind == "string" and is_plain(schema.get("pattern")):
        found["pattern"] = schema["pattern"]
    if kind in ("integer", "number"):
        for key in _LIMITS:
            limit = _limit(schema.get(key), kind)
            if limit is not None:
                found[key] = limit
        step = schema.get("multipleOf")
        if kind == "integer" and type(step) is int and 0 < step <= _EXACT:
            found["multipleOf"] = step
    return found


def is_plain(pattern: object) -> bool:
    """Is this a regular expression that all dialects read alike?"""
    if not isinstance(pattern, str) or len(pattern) > 200 or not _PLAIN_PATTERN.fullmatch(pattern):
        return False
    if any(operator in pattern for operator in ("&&", "--", "~~")):  # set arithmetic to pydantic's engine
        return False
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True


def _limit(limit: object, kind: str) -> int | float | None:
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return None
    if kind == "integer":
        if isinstance(limit, float):
            return int(limit) if limit.is_integer() and abs(limit) <= _EXACT else None
        return limit if abs(limit) < 2**63 else None
    return limit if abs(limit) <= _EXACT else None


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
