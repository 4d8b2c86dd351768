"""Compile an author's schema into a validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jsonschema_rs

from toolgen.schema.budget import check_budget
from toolgen.schema.patterns import is_misread, translate_for_validator, translate_property_patterns
from toolgen.schema.validation_cost import ValidationCost, validation_cost

from .complexity import Effort, is_too_expensive
from .json_value import is_json

_TRIALS = 100_000  # for one text, of patterns that are matched by trial and error: a few milliseconds
_BOUNDED = jsonschema_rs.FancyRegexOptions(backtrack_limit=_TRIALS)
PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=_TRIALS, size_limit=100_000_000)
"""For patterns that are refused by the engine's own limit of bytes, a tenth of this: `^.{0,30000}$`."""


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema that compiled: formats are asserted, the draft is the one of `$schema` (default 2020-12)."""

    schema: Mapping[str, Any]  # the author's, as `errors` finds its way in it
    is_valid: Callable[[Any], bool]  # for values known to be JSON; False for those that are too much work
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]
    cost: ValidationCost | None = None  # where checking a value can be too much work

    def is_too_expensive(self, value: Any) -> bool:
        """Whether a JSON value is refused because checking it would take too long."""
        return self.cost is not None and is_too_expensive(self.cost, self.schema, value)

    def explains(self, value: Any) -> bool:
        """True if all faults of a JSON value can be found in time, by `errors`."""
        return not self.is_too_expensive(value) and Effort(self.schema).explains(value)

    def accepts(self, value: Any) -> bool:
        """Whether `value` is JSON and the schema accepts it."""
        return is_json(value) and self.is_valid(value)


def compile_schema(schema: Mapping[str, Any]) -> CompiledSchema:
    """Compile `schema`.

    Raises ValueError where it is not a schema, refers to anything outside itself, or is too complex.
    """
    cost = validation_cost(check_budget(schema))
    validator, as_written = _compiled(schema, True, _refuse)
    is_valid = validator.is_valid if cost is None else partial(_is_valid, validator, cost, schema)
    return CompiledSchema(
        schema if as_written else translate_property_patterns(schema), is_valid, validator.iter_errors, cost
    )


def _is_valid(
    validator: jsonschema_rs.Validator, cost: ValidationCost, schema: Mapping[str, Any], value: Any
) -> bool:
    return not is_too_expensive(cost, schema, value) and bool(validator.is_valid(value))


def compiled(
    schema: Mapping[str, Any],
    formats: bool = True,
    retrieve: Callable[[str], Any] | None = None,
) -> jsonschema_rs.Validator:
    """A validator for `schema`, told in other words only where it would refuse or misread the author's.

    `retrieve` gives the document at an address; without it, references stay within the schema. Raises
    ValueError, or `jsonschema_rs.ReferencingError`, where there is no way to enforce it.
    """
    return _compiled(schema, formats, retrieve or _refuse)[0]


def _compiled(
    schema: Mapping[str, Any], formats: bool, retrieve: Callable[[str], Any]
) -> tuple[jsonschema_rs.Validator, bool]:
    """The validator, and whether it has the schema as it was written."""

    def validator(of: Mapping[str, Any], patterns: Any) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(
            dict(of), validate_formats=formats, retriever=retrieve, pattern_options=patterns
        )

    if not is_misread(schema):
        try:
            return validator(schema, _BOUNDED), True
        except ValueError:
            pass
    return validator(translate_for_validator(schema), PATTERNS), False


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri!r}: only references within itself are followed")
