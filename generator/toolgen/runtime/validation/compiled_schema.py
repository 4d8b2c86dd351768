"""Compile an author's schema into a validator."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import jsonschema_rs

from toolgen.schema.budget import check_budget
from toolgen.schema.document import JsonPath, SchemaDocument
from toolgen.schema.graph import Graph
from toolgen.schema.patterns import translate_property_patterns
from toolgen.schema.validation_cost import ValidationCost, validation_cost
from toolgen.schema.validator import BuiltValidator, build_validator, refuse_reference

from .complexity import Effort, Matching, is_too_expensive
from .json_value import is_json


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A compiled schema. Formats are asserted; the draft is that of `$schema` (default 2020-12)."""

    document: SchemaDocument  # to which the paths of `errors` refer
    is_valid: Callable[[Any], bool]  # for JSON values; False if validating one would take too long
    is_valid_short: Callable[[Any], bool]  # for values without long integers, which it does not search for
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]
    cost: ValidationCost | None = None  # None: validation never takes too long
    short_text: int = sys.maxsize  # bytes of JSON that hold no long integers that matter to the cost
    # `is_valid_short` with the matching of a call; None: the schema has no patterns that backtrack
    is_valid_in_call: Callable[[Any, Matching | None], bool] | None = None
    in_call: Callable[[Matching], Callable[[Any], bool]] | None = None  # returns `is_valid` for one call
    matching: Matching | None = None  # of the call that this schema is for
    parts: dict[JsonPath, Any] = field(default_factory=dict, compare=False)  # validators, built on first use

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema; its references may be written in another way than the author's."""
        return self.document.schema

    def is_too_expensive(self, value: Any) -> bool:
        """True if a JSON value is refused because validating it would take too long."""
        return self.cost is not None and is_too_expensive(self.cost, self.document, value, self.matching)

    def explains(self, value: Any) -> bool:
        """True if all faults of a JSON value can be found in time, by `errors`."""
        return not self.is_too_expensive(value) and Effort(self.document).explains(value)

    def for_call(self, matching: Matching | None) -> CompiledSchema:
        """Return the schema for all values of one call, whose texts are matched once."""
        if matching is None or self.in_call is None:
            return self
        is_valid = self.in_call(matching)
        return replace(self, is_valid=is_valid, is_valid_short=is_valid, matching=matching)

    def accepts(self, value: Any) -> bool:
        """True if `value` is JSON and the schema accepts it."""
        return is_json(value) and self.is_valid(value)


def compile_schema(schema: Mapping[str, Any]) -> CompiledSchema:
    """Compile `schema`.

    Raises ValueError if it is not a valid schema, has references to other documents, or is too complex.
    """
    return compile_graph(check_budget(SchemaDocument(schema)))


def compile_graph(graph: Graph) -> CompiledSchema:
    """Compile a schema whose `graph` is within the budget. Raises ValueError as `compile_schema`."""
    document = graph.document
    cost = validation_cost(graph)
    made = build_validator(document.schema, formats=True, retrieve=refuse_reference)
    validator = made.validator
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]] = validator.iter_errors
    explained = document.rewritten
    if explained is not document:  # the validator counts the paths in its errors from the nearest `$id`
        build = partial(build_validator, explained.schema, formats=True, retrieve=refuse_reference)
        errors = partial(_errors, cache(build))
    if made.is_translated:
        explained = SchemaDocument(translate_property_patterns(explained.schema))
    if cost is None:
        return CompiledSchema(explained, validator.is_valid, validator.is_valid, errors)
    is_valid = partial(_is_valid, validator, cost, document)
    short_cost = cost.without_numbers()
    compiled = CompiledSchema(
        explained,
        is_valid,
        validator.is_valid if short_cost is None else partial(_is_valid, validator, short_cost, document),
        errors,
        cost,
        cost.short_text,
    )
    if short_cost is None or not cost.backtracking:
        return compiled
    return replace(
        compiled,
        is_valid_in_call=partial(_is_valid, validator, short_cost, document),
        in_call=lambda matching: partial(is_valid, matching=matching),
    )


def _is_valid(
    validator: jsonschema_rs.Validator,
    cost: ValidationCost,
    document: SchemaDocument,
    value: Any,
    matching: Matching | None = None,
) -> bool:
    return not is_too_expensive(cost, document, value, matching) and bool(validator.is_valid(value))


def _errors(build: Callable[[], BuiltValidator], value: Any) -> Iterator[jsonschema_rs.ValidationError]:
    return build().validator.iter_errors(value)
