"""Constraints and defaults that mean the same to pydantic as to JSON Schema, to the last value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, assert_never

import jsonschema_rs
from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolgen.compile.models import shapes
from toolgen.compile.models.shapes import Shape
from toolgen.schema.document import EXACT

_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

# Characters, classes of plain characters, groups, alternatives and counts mean the same in every dialect of
# regular expressions. Look-arounds, back references, \s, \b, and negations of \d and \w do not. To pydantic,
# `.` is also \r, \u2028 and \u2029, which the validator refuses before a model is built.
_CHARACTER = r"(?:[\w \-/:;,<>=!@#%&'\"~`]|\\[dwtn.\-/\\+*?()\[\]{}|^$])"
_MEMBER = r"[A-Za-z0-9_ .,:;@/+*#%&=-]|\\[.\-/\\+*\]\[]"
_SET = rf"\[(?:\^(?:{_MEMBER})+|(?:{_MEMBER}|\\[dw])+)\]"
_COUNT = r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?"
_PORTABLE_PATTERN = re.compile(rf"\^?(?:(?:{_CHARACTER}|{_SET}|\.|\((?:\?:)?|\)|\|){_COUNT})*\$?", re.ASCII)


def constraints(json_type: str, schema: Mapping[str, Any]) -> shapes.Constraints:
    """Return the keywords that constrain values of `json_type` and that a model can state exactly."""
    found: dict[str, Any] = {}
    for key in _LENGTHS.get(json_type, ()):
        length = schema.get(key)
        if type(length) is int and length >= 0:
            found[key] = length
    if json_type == "string" and is_portable(schema.get("pattern")):
        found["pattern"] = schema["pattern"]
    if json_type in ("integer", "number"):
        for key in _LIMITS:
            limit = _limit(schema.get(key), json_type)
            if limit is not None:
                found[key] = limit
        step = schema.get("multipleOf")
        # steps of floats are a matter of rounding, which two validators do differently
        if json_type == "integer" and type(step) is int and 0 < step <= EXACT:
            found["multipleOf"] = step
    return tuple(found.items())


def is_portable(pattern: object) -> bool:
    """True if all dialects of regular expressions read `pattern` alike."""
    if not isinstance(pattern, str) or len(pattern) > 200 or not _PORTABLE_PATTERN.fullmatch(pattern):
        return False
    if any(operator in pattern for operator in ("&&", "--", "~~")):  # set arithmetic to pydantic's engine
        return False
    try:
        # pydantic's engine (https://docs.rs/regex) refuses some patterns, large ones for example
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True


def _limit(limit: object, json_type: str) -> int | float | None:
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return None
    if json_type == "integer":
        if isinstance(limit, float):
            return int(limit) if limit.is_integer() and abs(limit) <= EXACT else None
        return limit if abs(limit) < shapes.LARGE else None
    return limit if abs(limit) <= EXACT else None


_CONTEXT = ("$schema", "$defs", "definitions")  # what the references of a property need around them
_REFERRING = ("$ref", "allOf", "anyOf", "oneOf", "items", "not", "if")
_PYTHON: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float)
}  # fmt: skip


class Defaults:
    """The defaults of one schema document that the schema accepts and that Python can state."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._context = {key: root[key] for key in _CONTEXT if key in root}

    def of(self, shape: Shape, schema: object) -> Any:
        """Return the default of `schema` if that is valid; else None, the default of all optional fields."""
        if not isinstance(schema, Mapping) or schema.get("default") is None:
            return None
        value = schema["default"]
        return value if _has_type(shape, value) and self._is_valid(schema, value) else None

    def _is_valid(self, schema: Mapping[str, Any], value: object) -> bool:
        context = self._context if any(key in schema for key in _REFERRING) else {}
        try:
            validator = jsonschema_rs.validator_for({**schema, **context}, validate_formats=True)
            return bool(validator.is_valid(value))
        except (ValueError, jsonschema_rs.ReferencingError):
            return False  # it refers to parts of the document that are not here


def _has_type(shape: Shape, value: object) -> bool:
    """True if `value` is a Python value of the type of `shape`, without conversion."""
    match shape:
        case shapes.Anything():
            return isinstance(value, str | int | float)
        case shapes.Literals(values):
            return any(value == known and type(value) is type(known) for known in values)
        case shapes.UnionShape(members):
            return any(_has_type(member, value) for member in members)
        case shapes.NamedType(type=inner):
            return _has_type(inner, value)
        case shapes.Scalar(kind):
            return type(value) in _PYTHON[kind]
        case shapes.Array(items):
            return isinstance(value, list) and all(
                not isinstance(item, list | dict) and _has_type(items, item) for item in value
            )
        case shapes.Null():
            return value is None
        case shapes.Map() | shapes.ClassRef():
            return False
        case _:
            assert_never(shape)
