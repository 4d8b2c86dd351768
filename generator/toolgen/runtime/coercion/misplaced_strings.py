"""Find strings that a schema refuses because of their type, and the types that it accepts instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from jsonschema_rs import ValidationError

from toolgen.runtime.validation.json_value import path_of_error
from toolgen.runtime.validation.strict_json import json_type
from toolgen.runtime.validation.union_faults import intended_branches
from toolgen.schema.document import JsonPath, follow

AcceptedTypes: TypeAlias = dict[JsonPath, frozenset[str]]
"""Path of a string → the JSON Schema types that are accepted in its place."""

_NUMBERS = frozenset({"integer", "number"})


def find_misplaced_strings(errors: Iterable[ValidationError], whole: Any) -> AcceptedTypes:
    """Return the strings in `whole` that are refused because of their type, by the validator's `errors`."""
    return _intersect(_strings_of(error, whole) or {} for error in errors)


def _strings_of(error: ValidationError, whole: Any) -> AcceptedTypes | None:
    """Return the strings whose replacement removes `error`; None if no replacement does."""
    path = path_of_error(whole, error)
    if isinstance(error.instance, str) and follow(whole, path) == error.instance:
        types = _types_instead(error)
        return None if types is None else {path: types}
    if type(error.kind).__name__ in ("AnyOf", "OneOfNotValid"):
        return _in_branches(error, whole)
    return None


def _types_instead(error: ValidationError) -> frozenset[str] | None:
    """Return the types accepted in place of a string; None if some other string would be accepted."""
    kind: Any = error.kind
    types: frozenset[str]
    match type(kind).__name__:
        case "FalseSchema":
            types = frozenset()
        case "Type":
            types = frozenset(kind.types)
        case "Enum":
            types = frozenset(json_type(option, _NUMBERS) for option in kind.options)
        case "Constant":
            types = frozenset({json_type(kind.expected_value, _NUMBERS)})
        case "AnyOf" | "OneOfNotValid":
            each = [_types_in_branch(branch, error.instance_path) for branch in kind.context]
            if None in each:
                return None
            types = frozenset().union(*(types for types in each if types is not None))
        case _:
            return None
    return None if "string" in types else types


def _types_in_branch(branch: list[ValidationError], here: list[str | int]) -> frozenset[str] | None:
    """Return the types that one branch accepts in place of a string; None if it might accept a string."""
    of_errors = [_types_instead(error) for error in branch if error.instance_path == here]
    certain = [types for types in of_errors if types is not None]
    if not certain:
        return None
    found = certain[0]
    for types in certain[1:]:
        found = _common_types(found, types)
    return found


def _in_branches(error: ValidationError, whole: Any) -> AcceptedTypes | None:
    """Return the strings whose replacement makes a branch accept the value.

    They must be the same in every branch that the caller can have intended, without any other error.
    """
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    of_branches = [
        _strings_of_branch(branches[index], whole)
        for index in intended_branches(branches, error.instance_path)
    ]
    merged: AcceptedTypes = {}
    for strings in of_branches:
        if strings is None or strings.keys() != (of_branches[0] or {}).keys():
            return None
        merged = {path: merged.get(path, frozenset()) | types for path, types in strings.items()}
    if any(_accepts_other_string(each, merged, whole) for branch in branches for each in branch):
        return None
    return merged or None


def _strings_of_branch(branch: list[ValidationError], whole: Any) -> AcceptedTypes | None:
    """Return the strings to replace for a branch to accept the value; None if it has any other error."""
    of_errors = [_strings_of(error, whole) for error in branch]
    return None if None in of_errors else _intersect(each for each in of_errors if each is not None)


def _intersect(all_strings: Iterable[AcceptedTypes]) -> AcceptedTypes:
    """Merge the strings of several errors, each with the types that satisfy all of them."""
    merged: AcceptedTypes = {}
    for strings in all_strings:
        for path, types in strings.items():
            merged[path] = _common_types(merged[path], types) if path in merged else types
    return merged


def _accepts_other_string(error: ValidationError, strings: AcceptedTypes, whole: Any) -> bool:
    """True if a branch accepts another string in place of one of `strings`, so that coercion is in doubt."""
    return path_of_error(whole, error) in strings and _types_instead(error) is None


def _common_types(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    """Return the common types of two sets; every integer is a number."""
    types = left & right
    numbers = left & _NUMBERS and right & _NUMBERS
    return types | {"integer"} if numbers and not types & _NUMBERS else types
