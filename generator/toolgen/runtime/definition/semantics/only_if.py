"""`confirm.only_if`: a boolean of the request. Calls with false are answered by the preview; others ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.schema.document import SchemaDocument, as_list, locate, pointer_tokens

from .properties import find_property


@dataclass(frozen=True, slots=True)
class OnlyIf:
    """A `confirm.only_if`, prepared for calls."""

    path: tuple[str, ...]
    default: bool | None  # None: the schema has none

    def is_false(self, arguments: Mapping[str, Any]) -> bool:
        """True if a call is only previewed: the property is false, or left out and false by default."""
        found = locate(arguments, self.path)
        return (self.default if found is None else found.value) is False


def only_if_of(pointer: str | None, document: SchemaDocument) -> OnlyIf | None:
    """Return an `only_if` that has no faults, for the input schema `document`; None if there is none."""
    if pointer is None:
        return None
    path = pointer_tokens(pointer)
    return OnlyIf(path, default_of(find_property(document, path).schemas))


def default_of(schemas: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return the default of a boolean; None if there is none, or if several contradict each other."""
    found = {each["default"] for each in schemas if isinstance(each.get("default"), bool)}
    return found.pop() if len(found) == 1 else None


def is_required(document: SchemaDocument, names: Sequence[str]) -> bool:
    """True if every request has the property, and so every object on the way to it."""
    *around, name = names
    holder = find_property(document, names).holder
    is_in_holder = any(name in as_list(each.get("required")) for each in holder)
    return is_in_holder and (not around or is_required(document, around))
