"""Where a text stands and the schema takes none: the places that may be mended without doubt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from jsonschema_rs import ValidationError

from toolgen.runtime.validation.json_path import part_of, places, where
from toolgen.runtime.validation.union_faults import meant
from toolgen.schema.document import JsonPath

from .strict_json import kind_of

Slips: TypeAlias = dict[
    JsonPath, frozenset[str]
]  # place of a text → the JSON Schema types taken there instead

_NUMBERS = frozenset({"integer", "number"})


def find_places(errors: Iterable[ValidationError], whole: Any) -> Slips:
    """The texts in `whole` that are refused for being texts, by the validator's `errors` about it."""
    return _together(_slips_of(error, whole) or {} for error in errors)


def _slips_of(error: ValidationError, whole: Any) -> Slips | None:
    """What has to be another thing than a text for `error` to go; None where that does not help."""
    found = places(whole, error)
    if len(found) != 1:
        return None
    path = found[0]
    if isinstance(part_of(whole, path), str):
        kinds = _instead_of_text(error)
        return None if kinds is None else {path: kinds}
    if type(error.kind).__name__ in ("AnyOf", "OneOfNotValid"):
        return _in_branches(error, whole)
    return None


def _instead_of_text(error: ValidationError) -> frozenset[str] | None:
    """The types that are taken where a text stands; None where some text would do, if not this one."""
    kind: Any = error.kind
    kinds: frozenset[str]
    match type(kind).__name__:
        case "FalseSchema":
            kinds = frozenset()
        case "Type":
            kinds = frozenset(kind.types)
        case "Enum":
            kinds = frozenset(kind_of(option, _NUMBERS) for option in kind.options)
        case "Constant":
            kinds = frozenset({kind_of(kind.expected_value, _NUMBERS)})
        case "AnyOf" | "OneOfNotValid":
            each = [_instead_in_branch(branch, error.instance_path) for branch in kind.context]
            if None in each:
                return None
            kinds = frozenset().union(*(kinds for kinds in each if kinds is not None))
        case _:
            return None
    return None if "string" in kinds else kinds


def _instead_in_branch(branch: list[ValidationError], here: list[str | int]) -> frozenset[str] | None:
    """The types that one branch takes where a text stands; None where it might take a text."""
    told = [_instead_of_text(error) for error in branch if error.instance_path == here]
    sure = [kinds for kinds in told if kinds is not None]
    if not sure:
        return None
    found = sure[0]
    for kinds in sure[1:]:
        found = _both(found, kinds)
    return found


def _in_branches(error: ValidationError, whole: Any) -> Slips | None:
    """The slips that make a value fit: the same in every branch that can be meant, with no other fault."""
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    ways = [_all_slips(branches[index], whole) for index in meant(branches, error.instance_path)]
    made: Slips = {}
    for way in ways:
        if way is None or way.keys() != (ways[0] or {}).keys():
            return None
        made = {path: made.get(path, frozenset()) | kinds for path, kinds in way.items()}
    if any(_takes_text(fault, made, whole) for branch in branches for fault in branch):
        return None
    return made or None


def _together(ways: Iterable[Slips]) -> Slips:
    """What has to be done for each of several faults to go."""
    found: Slips = {}
    for way in ways:
        for path, kinds in way.items():
            found[path] = _both(found[path], kinds) if path in found else kinds
    return found


def _all_slips(branch: list[ValidationError], whole: Any) -> Slips | None:
    """The slips of a branch that has no other fault."""
    ways = [_slips_of(error, whole) for error in branch]
    return None if None in ways else _together(way for way in ways if way is not None)


def _takes_text(fault: ValidationError, slips: Slips, whole: Any) -> bool:
    """Whether a branch wants another text where a slip is: then there is doubt."""
    return where(whole, fault) in slips and _instead_of_text(fault) is None


def _both(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    """The types that are both in `left` and `right`; every integer is a number."""
    kinds = left & right
    numbers = left & _NUMBERS and right & _NUMBERS
    return kinds | {"integer"} if numbers and not kinds & _NUMBERS else kinds
