"""Compile an author's schema into a validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jsonschema_rs

from toolgen.schema.budget import check_budget
from toolgen.schema.graph import Graph
from toolgen.schema.patterns import translate_property_patterns
from toolgen.schema.validation_cost import ValidationCost, validation_cost
from toolgen.schema.validator import build_validator, refuse_reference

from .complexity import Effort, is_too_expensive
from .json_value import is_json


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A compiled schema. Formats are asserted; the draft is that of `$schema` (default 2020-12)."""

    schema: Mapping[str, Any]  # the author's, to which the paths of `errors` refer
    is_valid: Callable[[Any], bool]  # for JSON values; False if validating one would take too long
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]
    cost: ValidationCost | None = None  # None: validation never takes too long

    def is_too_expensive(self, value: Any) -> bool:
        """True if a JSON value is refused because validating it would take too long."""
        return self.cost is not None and is_too_expensive(self.cost, self.schema, value)

    def explains(self, value: Any) -> bool:
        """True if all faults of a JSON value can be found in time, by `errors`."""
        return not self.is_too_expensive(value) and Effort(self.schema).explains(value)

    def accepts(self, value: Any) -> bool:
        """True if `value` is JSON and the schema accepts it."""
        return is_json(value) and self.is_valid(value)


def compile_schema(schema: Mapping[str, Any]) -> CompiledSchema:
    """Compile `schema`.

    Raises ValueError if it is not a valid schema, has references to other documents, or is too complex.
    """
    return compile_graph(schema, check_budget(schema))


def compile_graph(schema: Mapping[str, Any], graph: Graph) -> CompiledSchema:
    """Compile `schema`, whose `graph` is within the budget. Raises ValueError as `compile_schema`."""
    cost = validation_cost(graph)
    made = build_validator(schema, formats=True, retrieve=refuse_reference)
    validator = made.validator
    is_valid = validator.is_valid if cost is None else partial(_is_valid, validator, cost, schema)
    return CompiledSchema(
        translate_property_patterns(schema) if made.is_translated else schema,
        is_valid,
        validator.iter_errors,
        cost,
    )


def _is_valid(
    validator: jsonschema_rs.Validator, cost: ValidationCost, schema: Mapping[str, Any], value: Any
) -> bool:
    return not is_too_expensive(cost, schema, value) and bool(validator.is_valid(value))
