"""Values that fit none, or too many, of several allowed forms (anyOf, oneOf)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jsonschema_rs import ValidationError

from .words import did_you_mean, either, show, show_kind, show_options, show_path

Told = list[tuple[str, str]]  # (path, message)
FORMS = 4  # forms that are described

_CHOICES = frozenset({"Constant", "Enum"})


def one_of_several(
    error: ValidationError, tell: Callable[[ValidationError], Told]
) -> Iterator[tuple[str, str]]:
    """What to do about a value that fits no branch.

    Where the caller's intent is clear (one branch has the right type and the right tag), that branch's
    faults; where all branches only differ in type or value, one line; else each form with its first fault.
    """
    here = error.instance_path
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    types = _all_types(branches, here)
    if types:
        yield show_path(here), f"expected {either(types)}, got {show_kind(error.instance)}"
        return
    tag = _common_choice(branches)
    if tag is not None:
        yield tag
        return
    likely = meant(branches, here)
    if len(likely) == 1:
        for fault in branches[likely[0]]:
            yield from tell(fault)
        return
    forms = [tell(branches[index][0])[0] for index in likely if branches[index]]
    if len(set(forms)) == 1:
        yield forms[0]
        return
    told = "; ".join(
        f"({number}) {message if path == show_path(here) else f'{path}: {message}'}"
        for number, (path, message) in enumerate(forms[:FORMS], 1)
    )
    more = f"; and {len(forms) - FORMS} more" if len(forms) > FORMS else ""
    yield show_path(here), f"fits none of the {len(forms)} allowed forms: {told}{more}"


def too_many(error: ValidationError) -> str:
    """A value that fits several branches of a oneOf."""
    kind: Any = error.kind
    fitting = [str(number) for number, faults in enumerate(kind.context, 1) if not faults]
    which = " and ".join(fitting)
    return (
        f"expected a value that fits exactly one of {len(kind.context)} forms, got one that fits {which}"
        + (f" ({show(error.instance)})" if not isinstance(error.instance, dict | list) else "")
    )


def _all_types(branches: list[list[ValidationError]], here: list[str | int]) -> list[str]:
    """The types wanted, if every branch says nothing else than that the type is wrong."""
    types: list[str] = []
    for faults in branches:
        for fault in faults:
            kind: Any = fault.kind
            if type(kind).__name__ != "Type" or fault.instance_path != here:
                return []
            types += [name for name in kind.types if name not in types]
    return types


def _common_choice(branches: list[list[ValidationError]]) -> tuple[str, str] | None:
    """The fault of a value that every branch wants to be another one: a tag that no branch has."""
    choices = [
        {tuple(fault.instance_path): fault for fault in faults if type(fault.kind).__name__ in _CHOICES}
        for faults in branches
    ]
    shared = set.intersection(*map(set, choices)) if choices else set()
    if not shared:
        return None
    path = min(shared, key=lambda steps: (len(steps), str(steps)))
    options: list[Any] = []
    for found in choices:
        kind: Any = found[path].kind
        wanted = kind.options if type(kind).__name__ == "Enum" else [kind.expected_value]
        options += [option for option in wanted if option not in options]
    value = choices[0][path].instance
    return show_path(
        path
    ), f"expected {show_options(options)}, got {show(value)}{did_you_mean(value, options)}"


def meant(branches: list[list[ValidationError]], here: list[str | int]) -> list[int]:
    """The branches that the caller can have meant, by type and then by tag; all of them if none is left."""
    left = [index for index, faults in enumerate(branches) if faults]
    for wrong in (_wrong_type, _wrong_tag):
        kept = [index for index in left if not any(wrong(fault, here) for fault in branches[index])]
        left = kept or left
    return left


def _wrong_type(fault: ValidationError, here: list[str | int]) -> bool:
    return type(fault.kind).__name__ == "Type" and fault.instance_path == here


def _wrong_tag(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in _CHOICES and len(fault.instance_path) <= len(here) + 1
