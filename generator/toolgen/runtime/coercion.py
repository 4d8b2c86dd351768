"""Coerce arguments: turn strings that contain JSON into values if the schema leaves no doubt.

The only rule: if the schema does not accept a string, but the string is JSON of a type that it accepts, the
string is replaced by that value. The schema validates the result again. docs/runtime.md has the details.

A lenient server also leaves out what hosts add, and null for what is optional (`leave_out`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Any, TypeAlias

from jsonschema_rs import ValidationError

from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.faults import closes, intended_branches
from toolgen.runtime.validation.json_value import path_of_error
from toolgen.runtime.validation.schema_lookup import SchemaLookup
from toolgen.runtime.validation.strict_json import MAX_CHARACTERS, NotStrictJsonError, parse_as
from toolgen.schema.document import JsonPath, follow, json_type

MAX_ROUNDS = 4  # of strings inside values that were parsed from strings
MAX_ERRORS = 1000  # errors of the validator that are used in one round

_OBJECT = frozenset({"object"})
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Coerced:
    """Arguments after coercion, and what was changed."""

    value: dict[str, Any]
    notes: list[dict[str, str]]  # `path`, and the JSON types `from` and `to`


def coerce(schema: CompiledSchema, value: dict[str, Any]) -> Coerced:
    """Coerce `value`, which is JSON that `schema` refuses, as far as possible: it may refuse the result, too.

    `value` itself is not changed. Values that the schema marks as secret are never coerced.
    """
    lookup = SchemaLookup(schema.document)
    notes: list[dict[str, str]] = []
    for _ in range(MAX_ROUNDS):
        if not schema.explains(value):
            break
        found = find_misplaced_strings(islice(schema.errors(value), MAX_ERRORS), value)
        parsed = _parse_strings(found, value, lookup)
        if not parsed:
            break
        value = _replace_parts(value, parsed)
        notes += [_note(path, parsed[path], found[path]) for path in parsed]
        if schema.is_valid(value):
            break
    return Coerced(value, notes)


def coerce_whole(text: str) -> Coerced | None:
    """Parse arguments that were sent as one string, without validation. None if it is not a JSON object."""
    try:
        value = parse_as(text, _OBJECT)
    except NotStrictJsonError:
        return None
    return Coerced(value, [_note((), value, _OBJECT)])


def leave_out(schema: CompiledSchema, value: dict[str, Any]) -> tuple[dict[str, Any], list[JsonPath]]:
    """Return `value` without arguments that are not in `schema`, nor null for optional properties it refuses.

    `value` is JSON that the schema refuses, and is not changed. Return the paths of what was left out, too.
    """
    lookup = SchemaLookup(schema.document)
    left_out: list[JsonPath] = []
    for _ in range(MAX_ROUNDS):
        if not schema.explains(value):
            break
        errors = list(islice(schema.errors(value), MAX_ERRORS))
        # a property with a fault of its own is unevaluated, too
        only_unevaluated = all(type(error.kind).__name__ == "UnevaluatedProperties" for error in errors)
        of_errors = (_superfluous(error, value, lookup, only_unevaluated) for error in errors)
        found = set[JsonPath]().union(*of_errors)
        if not found:
            break
        value = _replace_parts(value, dict.fromkeys(found, _NOTHING))
        left_out += sorted(found, key=str)
    return value, left_out


def _superfluous(
    error: ValidationError, whole: Any, lookup: SchemaLookup, takes_unevaluated: bool
) -> set[JsonPath]:
    """Return the paths without which `error` might not be there: top-level names, and optional nulls."""
    path, kind = path_of_error(whole, error), type(error.kind).__name__
    details: Any = error.kind
    if error.instance is None and kind != "OneOfMultipleValid" and follow(whole, path) is None:
        return {path} if lookup.is_optional(path) else set()
    if kind in ("AnyOf", "OneOfNotValid"):
        branches = details.context
        each = [
            set[JsonPath]().union(*(_superfluous(fault, whole, lookup, False) for fault in branches[index]))
            for index in intended_branches(branches, error.instance_path)
        ]
        return set.intersection(*each) if each else set()
    if path:  # hosts add their names beside the arguments; others are the model's own
        return set()
    if kind == "AdditionalProperties" or (kind == "UnevaluatedProperties" and takes_unevaluated):
        return {(name,) for name in details.unexpected}
    if kind == "FalseSchema" and closes(error.schema_path):
        return {(name,) for name in whole}
    return set()


def _parse_strings(strings: AcceptedTypes, value: Any, lookup: SchemaLookup) -> dict[JsonPath, Any]:
    """Parse `strings`; return an empty dict if they are too long together."""
    texts = {path: follow(value, path) for path in strings}
    # all or nothing: coercing some strings would depend on the order of the validator
    if sum(map(len, texts.values())) > MAX_CHARACTERS:
        return {}
    parsed: dict[JsonPath, Any] = {}
    for path, text in texts.items():
        try:
            # the note about a coercion shows the type of the value
            if not lookup.is_secret(path):
                parsed[path] = parse_as(text, strings[path])
        except NotStrictJsonError:
            continue
    return parsed


def _note(path: JsonPath, value: Any, types: frozenset[str]) -> dict[str, str]:
    kind = json_type(value)  # an integer is a number where only these are accepted
    return {"path": show_path(path), "from": "string", "to": kind if kind in types else "number"}


def _replace_parts(value: Any, changes: Mapping[JsonPath, Any]) -> Any:
    """Return a copy of `value` with the parts at the paths of `changes` replaced, or removed by _NOTHING."""
    if () in changes:
        return changes[()]
    inside: dict[str | int, dict[JsonPath, Any]] = {}
    for path, part in changes.items():
        inside.setdefault(path[0], {})[path[1:]] = part
    copied = value.copy()
    for step, below in inside.items():
        copied[step] = _replace_parts(value[step], below)
        if copied[step] is _NOTHING:
            del copied[step]
    return copied


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
            types = frozenset(map(json_type, kind.options))
        case "Constant":
            types = frozenset({json_type(kind.expected_value)})
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
    return reduce(_common_types, certain) if certain else None


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
