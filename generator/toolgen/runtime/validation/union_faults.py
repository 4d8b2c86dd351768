"""Describe values that match no branch, or too many branches, of `anyOf` or `oneOf`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from jsonschema_rs import ValidationError

from toolgen.runtime.text import did_you_mean, either, quote, show, show_kind, show_options

from .fault_messages import Fault, FaultLocation, part_at

MAX_FORMS = 4  # branches that are described

_CHOICES = frozenset({"Constant", "Enum"})


def describe_no_branch(
    error: ValidationError,
    describe: Callable[[ValidationError], list[Fault]],
    locate: Callable[[ValidationError], FaultLocation],
    *,
    schema: Mapping[str, Any],
) -> Iterator[Fault]:
    """Yield the faults of a value that matches no branch.

    If the caller's intent is clear (one branch has the type, the tag and the properties of the value), they
    are the faults of that branch. If all branches only differ in type or constant, it is one fault. Otherwise
    it is one fault with the first fault of each branch.
    """
    here = error.instance_path
    at = locate(error).path
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    types = _all_types(branches, here)
    if types:
        yield Fault(at, f"expected {either(types)}, got {show_kind(error.instance)}")
        return
    tag = _common_choice(branches, locate)
    if tag is not None:
        yield tag
        return
    likely = _nearest(intended_branches(branches, here), branches, here, schema)
    if len(likely) == 1:
        for fault in branches[likely[0]]:
            yield from describe(fault)
        return
    forms = [describe(branches[index][0])[0] for index in likely if branches[index]]
    # branches that differ elsewhere have the same fault here
    if len(set(forms)) == 1:
        yield forms[0]
        return
    details = "; ".join(
        f"({number}) {form.message if form.path == at else f'{form.path}: {form.message}'}"
        for number, form in enumerate(forms[:MAX_FORMS], 1)
    )
    more = f"; and {len(forms) - MAX_FORMS} more" if len(forms) > MAX_FORMS else ""
    yield Fault(at, f"fits none of the {len(forms)} allowed forms: {details}{more}")


def too_many(error: ValidationError, place: Mapping[str, Any]) -> str:
    """Return the sentence for a value that matches several branches of the oneOf in the schema `place`."""
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
    """Return a short description of a branch: its title, or the properties that it requires."""
    if not isinstance(branch, dict):
        return ""
    if isinstance(branch.get("title"), str):
        return f" ({quote(branch['title'])})"
    names = branch.get("required")
    return f" (with {', '.join(map(quote, names[:4]))})" if isinstance(names, list) and names else ""


def _all_types(branches: list[list[ValidationError]], here: list[str | int]) -> list[str]:
    """Return the accepted types if the type is the only fault in every branch; else an empty list."""
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
    branches: list[list[ValidationError]], locate: Callable[[ValidationError], FaultLocation]
) -> Fault | None:
    """Return the fault of a tag that no branch has; None if the branches have no common tag."""
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
    location = locate(choices[0][path])
    got = "" if location.hide else f", got {show(value)}{did_you_mean(value, options)}"
    return Fault(location.path, f"expected {show_options(options)}{got}")


def intended_branches(branches: list[list[ValidationError]], here: list[str | int]) -> list[int]:
    """Return the branches that the caller can have intended, judged by type, tag and properties.

    If that excludes all of them, the criterion is not applied.
    """
    left = [index for index, faults in enumerate(branches) if faults]
    choices = [fault for faults in branches for fault in faults if _wrong_tag(fault, here)]
    tags = {str(fault.instance_path[-1]) for fault in choices if fault.instance_path != here}
    for wrong in (_is_closed, _wrong_type, partial(_is_other_tag, tags=tags), _is_unknown_property):
        kept = [index for index in left if not any(wrong(fault, here) for fault in branches[index])]
        left = kept or left
    return left


def _nearest(
    likely: list[int], branches: list[list[ValidationError]], here: list[str | int], schema: Mapping[str, Any]
) -> list[int]:
    """Return the branches that require a property of the value; all if none does."""
    kept = [
        index
        for index in likely
        if not any(_lacks_all_required(fault, here, schema) for fault in branches[index])
    ]
    return kept or likely


def _is(fault: ValidationError, here: list[str | int], *, names: tuple[str, ...]) -> bool:
    """True if a fault is of one of the kinds `names`, and of the value itself."""
    return type(fault.kind).__name__ in names and fault.instance_path == here


_is_closed = partial(_is, names=("FalseSchema",))
_is_unknown_property = partial(_is, names=("AdditionalProperties", "UnevaluatedProperties"))
_wrong_type = partial(_is, names=("Type",))


def _lacks_all_required(fault: ValidationError, here: list[str | int], schema: Mapping[str, Any]) -> bool:
    """True if the value has none of the properties that a branch requires."""
    value = fault.instance
    if not _is(fault, here, names=("Required",)) or not isinstance(value, dict):
        return False
    names = part_at(schema, fault.schema_path[:-1]).get("required", ())
    return not any(name in value for name in names)


def _is_other_tag(fault: ValidationError, here: list[str | int], tags: set[str]) -> bool:
    """True if a branch has another tag than the value, or does not allow a tag of other branches."""
    kind: Any = fault.kind
    return _wrong_tag(fault, here) or (
        _is_unknown_property(fault, here) and not tags.isdisjoint(kind.unexpected)
    )


def _wrong_tag(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in _CHOICES and len(here) <= len(fault.instance_path) <= len(here) + 1
