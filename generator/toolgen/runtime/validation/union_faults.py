"""Find the branches of `anyOf` or `oneOf` that a value that matches none of them is intended for."""

from __future__ import annotations

from functools import partial
from typing import Any

from jsonschema_rs import ValidationError

CHOICES = frozenset({"Constant", "Enum"})


def intended_branches(branches: list[list[ValidationError]], here: list[str | int]) -> list[int]:
    """Return the branches that the caller can have intended, judged by type, tag and properties.

    If that excludes all of them, the criterion is not applied.
    """
    left = [index for index, faults in enumerate(branches) if faults]
    choices = [fault for faults in branches for fault in faults if _wrong_tag(fault, here)]
    tags = {str(fault.instance_path[-1]) for fault in choices if fault.instance_path != here}
    for wrong in (is_closed, _wrong_type, partial(_is_other_tag, tags=tags), _is_unknown_property):
        kept = [index for index in left if not any(wrong(fault, here) for fault in branches[index])]
        left = kept or left
    return left


def _is(fault: ValidationError, here: list[str | int], *, names: tuple[str, ...]) -> bool:
    """True if a fault is of one of the kinds `names`, and of the value itself."""
    return type(fault.kind).__name__ in names and fault.instance_path == here


is_closed = partial(_is, names=("FalseSchema",))
_is_unknown_property = partial(_is, names=("AdditionalProperties", "UnevaluatedProperties"))
_wrong_type = partial(_is, names=("Type",))


def _is_other_tag(fault: ValidationError, here: list[str | int], tags: set[str]) -> bool:
    """True if a branch has another tag than the value, or does not allow a tag of other branches."""
    kind: Any = fault.kind
    return _wrong_tag(fault, here) or (
        _is_unknown_property(fault, here) and not tags.isdisjoint(kind.unexpected)
    )


def _wrong_tag(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in CHOICES and len(here) <= len(fault.instance_path) <= len(here) + 1
