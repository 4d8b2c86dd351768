"""Schemas whose forms are hard to get right, each with requests that are typed through its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any, Final

_TEXT: Final = {"type": "string"}
_NULL: Final = {"type": "null"}
_LIST: Final = {"type": "array", "items": _TEXT}


def _object(required: str = "", /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def _map(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _operation(name: str, required: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one operation of a tool that has several, as a published tool has them."""
    described = {**_object(required, **parameters), "additionalProperties": False}
    operation = {"type": "string", "const": name}
    return {**_object("operation", operation=operation, params=described), "additionalProperties": False}


_OPERATIONS: Final = list(
    starmap(
        _operation,
        [
            ("access", "site", {"site": _TEXT}),
            ("forms", "site", {"site": _TEXT, "forms": {"type": "string", "enum": ["enabled", "disabled"]}}),
            ("submissions", "action", {"action": {"enum": ["get", "delete"]}, "site": _TEXT, "form": _TEXT}),
            ("rename", "site name", {"site": _TEXT, "name": {"type": "string", "pattern": "^[a-z]+$"}}),
            ("variables", "site", {"site": _TEXT}),
            ("create", "", {"name": {"type": "string", "pattern": "^[a-z]+$"}}),
        ],
    )
)
_CALL: Final = {
    "call": {"operation": "submissions", "params": {"action": "delete", "site": "7", "form": "2"}}
}
_A: Final = _object("kind", kind={"const": "a"}, value=_TEXT)
_B: Final = _object("kind names", kind={"const": "b"}, value={"type": "integer"}, names=_LIST)

FORMS: Final[Mapping[str, tuple[dict[str, Any], Sequence[Any]]]] = {
    "recursive": (
        {
            **_object(tree={"$ref": "#/$defs/Tree"}),
            "$defs": {
                "Tree": _object(name=_TEXT, children={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
            },
        },
        [{"tree": {"name": "root", "children": [{"name": "leaf", "children": []}]}}],
    ),
    "kinds": (_object(call={"anyOf": _OPERATIONS}), [_CALL]),
    "kinds_of_kinds": (_object(call={"anyOf": [_TEXT, {"oneOf": _OPERATIONS}]}), [_CALL]),
    "kinds_with_a_list": (
        _object("x", x={"oneOf": [_A, _B]}),
        [{"x": {"kind": "a", "value": "s"}}, {"x": {"kind": "b", "value": 3, "names": []}}],
    ),
    "objects_of_objects": (_object(a=_object(b=_object(c=_TEXT))), [{"a": {"b": {"c": "x"}}}, {}]),
    "odd_names": (
        _object(**{"a/b": _TEXT, "__proto__": _TEXT, "c.d": {"type": "integer"}}),
        [{"a/b": "x", "c.d": 3}],
    ),
    "null": (
        _object(a={"anyOf": [_TEXT, _NULL]}, b={"type": ["string", "null"]}, c={"anyOf": [_NULL, _A]}),
        [{"a": None, "b": None, "c": None}, {"a": "x", "b": "y", "c": {"kind": "a"}}, {}],
    ),
    "null_in_a_list": (
        _object(a={"type": "array", "items": {"type": ["string", "null"]}}),
        [{"a": [None, "x", None]}],
    ),
    "every_type": (
        _object(a={"type": ["string", "number", "boolean", "object", "array", "null"]}),
        [{"a": each} for each in ("x", 1, False, {"b": 1}, [1], None)],
    ),
    "map": (_object(a=_map(_TEXT), b=_map(_LIST)), [{"a": {"k": "v", "a/b": "", "0": "w"}, "b": {"k": ["x"], "l": []}}, {}]),
    "map_of_kinds": (
        _object(a=_map({"anyOf": [_TEXT, _A]}), b=_map({"type": ["string", "null"]}), c=_map({"enum": ["x", 2]})),
        [{"a": {"k": "x", "l": {"kind": "a"}}, "b": {"k": None, "l": "x"}, "c": {"k": 2}}],
    ),
    "further_properties": (
        {**_object(a={**_map(_TEXT), "properties": {"b": {"type": "integer"}}}), "additionalProperties": True},
        [{"a": {"b": 1, "k": "v"}, "further": [1]}],
    ),
    "all_of": (
        {**_object(a={"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, _object(c=_TEXT)]}), "$defs": {"A": _object("b", b=_LIST), "B": _object(d=_TEXT)}},
        [{"a": {"b": [], "c": "x", "d": "y"}}, {}],
    ),
    "required_and_empty": (
        {**_object("a", a={"allOf": [{"$ref": "#/$defs/A"}], "default": {}}), "$defs": {"A": _object("b c", b=_LIST, c=_object("d", d=_LIST))}},
        [{"a": {"b": [], "c": {"d": []}}}, {"a": {"b": [], "c": {"d": ["x"]}}}],
    ),
}  # fmt: skip
