"""Values that fit none, or too many, of several allowed forms (anyOf, oneOf)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from jsonschema_rs import ValidationError

from toolgen.runtime.text import did_you_mean, either, quote, show, show_kind, show_options

from .fault_messages import part_at

Told = list[tuple[str, str]]  # (path, message)
FORMS = 4  # forms that are described

_CHOICES = frozenset({"Constant", "Enum"})


def one_of_several(
    error: ValidationError,
    tell: Callable[[ValidationError], Told],
    place: Callable[[ValidationError], tuple[str, bool]],
    schema: Mapping[str, Any],
) -> Iterator[tuple[str, str]]:
    """What to do about a value that fits no branch; `place` gives a path in words, and whether it is hidden.

    Where the caller's intent is clear (one branch has the right type, the right tag, and properties that
    came), that branch's faults; where all branches only differ in type or value, one line; else each form
    with its first fault.
    """
    here = error.instance_path
    at, _ = place(error)
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    types = _all_types(branches, here)
    if types:
        yield at, f"expected {either(types)}, got {show_kind(error.instance)}"
        return
    tag = _common_choice(branches, place)
    if tag is not None:
        yield tag
        return
    likely = _nearest(intended_branches(branches, here), branches, here, schema)
    if len(likely) == 1:
        for fault in branches[likely[0]]:
            yield from tell(fault)
        return
    forms = [tell(branches[index][0])[0] for index in likely if branches[index]]
    if len(set(forms)) == 1:
        yield forms[0]
        return
    told = "; ".join(
        f"({number}) {message if path == at else f'{path}: {message}'}"
        for number, (path, message) in enumerate(forms[:FORMS], 1)
    )
    more = f"; and {len(forms) - FORMS} more" if len(forms) > FORMS else ""
    yield at, f"fits none of the {len(forms)} allowed forms: {told}{more}"


def too_many(error: ValidationError, place: Mapping[str, Any]) -> str:
    """A value that fits several branches of the oneOf in the schema `place`."""
    kind: Any = error.kind
    branches = place.get("oneOf")
    labels = list(map(_label, branches)) if isinstance(branches, list) else []
    fitting = [
        f"{number}{labels[number - 1] if number <= len(labels) else ''}"
        for number, faults in enumerate(kind.context, 1)
        if not faults
    ]
    which = " and ".join(fitting)
    return (
        f"expected a value that fits exactly one of {len(kind.context)} forms, got one that fits {which}"
        + (f" ({show(error.instance)})" if not isinstance(error.instance, dict | list) else "")
    )


def _label(branch: Any) -> str:
    """How a form is told from others: its title, or what it requires."""
    if not isinstance(branch, dict):
        return ""
    if isinstance(branch.get("title"), str):
        return f" ({quote(branch['title'])})"
    names = branch.get("required")
    return f" (with {', '.join(map(quote, names[:4]))})" if isinstance(names, list) and names else ""


def _all_types(branches: list[list[ValidationError]], here: list[str | int]) -> list[str]:
    """The types wanted, if every branch says nothing else than that the type is wrong."""
    types: list[str] = []
    for faults in branches:
        for fault in faults:
            kind: Any = fault.kind
            if _is_closed(fault, here):
                continue
            if type(kind).__name__ != "Type" or fault.instance_path != here:
                return []
            types += [name for name in kind.types if name not in types]
    return types


def _common_choice(
    branches: list[list[ValidationError]], place: Callable[[ValidationError], tuple[str, bool]]
) -> tuple[str, str] | None:
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
    at, hide = place(choices[0][path])
    got = "" if hide else f", got {show(value)}{did_you_mean(value, options)}"
    return at, f"expected {show_options(options)}{got}"


def intended_branches(branches: list[list[ValidationError]], here: list[str | int]) -> list[int]:
    """The branches that the caller can have meant: by type, by tag, by the properties that came.

    All of them where none is left.
    """
    left = [index for index, faults in enumerate(branches) if faults]
    choices = [fault for faults in branches for fault in faults if _wrong_tag(fault, here)]
    tags = {str(fault.instance_path[-1]) for fault in choices if fault.instance_path != here}
    for wrong in (_is_closed, _wrong_type, partial(_is_another, tags=tags), _knows_not):
        kept = [index for index in left if not any(wrong(fault, here) for fault in branches[index])]
        left = kept or left
    return left


def _nearest(
    likely: list[int], branches: list[list[ValidationError]], here: list[str | int], schema: Mapping[str, Any]
) -> list[int]:
    """Those branches that require a property that came; all if none is left."""
    kept = [
        index for index in likely if not any(_has_nothing(fault, here, schema) for fault in branches[index])
    ]
    return kept or likely


def _is_closed(fault: ValidationError, here: list[str | int]) -> bool:
    return type(fault.kind).__name__ == "FalseSchema" and fault.instance_path == here


def _knows_not(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in ("AdditionalProperties", "UnevaluatedProperties") and fault.instance_path == here


def _has_nothing(fault: ValidationError, here: list[str | int], schema: Mapping[str, Any]) -> bool:
    """Whether a branch requires properties none of which came."""
    came = fault.instance
    if type(fault.kind).__name__ != "Required" or fault.instance_path != here or not isinstance(came, dict):
        return False
    names = part_at(schema, fault.schema_path[:-1]).get("required", ())
    return not any(name in came for name in names)


def _wrong_type(fault: ValidationError, here: list[str | int]) -> bool:
    return type(fault.kind).__name__ == "Type" and fault.instance_path == here


def _is_another(fault: ValidationError, here: list[str | int], tags: set[str]) -> bool:
    """Whether a branch has another tag than the value, or does not know one that others have."""
    kind: Any = fault.kind
    return _wrong_tag(fault, here) or (_knows_not(fault, here) and not tags.isdisjoint(kind.unexpected))


def _wrong_tag(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in _CHOICES and len(here) <= len(fault.instance_path) <= len(here) + 1
