"""A bound schema while it is linted, with the validators that rules share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema_rs

from toolgen.language.references.bundle import Bound
from toolgen.language.source import Span
from toolgen.runtime.validation.complexity import explains
from toolgen.schema.document import Draft, JsonPath, subschemas
from toolgen.schema.validator import SubschemaValidators, compiled

_DEPENDENT = frozenset(("$ref", "$dynamicRef", "$id"))  # keywords that depend on the schema around them


class LintedSchema:
    """A bound schema, its draft, and validators of its subschemas."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.draft = bound.document.draft
        self._plain = bound.document.plain

    def explains(self, value: Any, node: Any) -> bool:
        """True if the validator can list all faults of a value by the subschema `node` in time."""
        return explains(self._plain, value, node)

    def validator_of(self, path: JsonPath, node: Mapping[str, Any]) -> jsonschema_rs.Validator | None:
        """Return a validator of the subschema `node` at `path`; None if the validator does not find it."""
        if any(not _DEPENDENT.isdisjoint(inner) for _, inner in subschemas(node)):
            return self._validators.at(path)
        draft = self.bound.schema.get("$schema", Draft.DRAFT_2020_12.value)
        return compiled({**node, "$schema": draft})

    @cached_property
    def _validators(self) -> SubschemaValidators:
        # of the whole schema, and so only for subschemas that refer to others
        return SubschemaValidators(self.bound.schema)


@dataclass(frozen=True, slots=True)
class LintedNode:
    """A subschema of a schema that is linted."""

    schema: LintedSchema
    path: JsonPath
    keywords: Mapping[str, Any]

    def key(self, *steps: str | int) -> Span:
        """Return the place of a key in the subschema; without steps, of its own."""
        return self.schema.bound.key((*self.path, *steps))

    def value(self, *steps: str | int) -> Span:
        """Return the place of a value in the subschema; without steps, of itself."""
        return self.schema.bound.value((*self.path, *steps))
