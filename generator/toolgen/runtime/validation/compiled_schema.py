"""Compile an author's schema into a validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import jsonschema_rs

from toolgen.schema.budget import check_budget
from toolgen.schema.document import JsonPath, SchemaDocument
from toolgen.schema.graph import Graph
from toolgen.schema.patterns import translate_property_patterns
from toolgen.schema.validation_cost import ValidationCost, validation_cost
from toolgen.schema.validator import BuiltValidator, SubschemaValidators, build_validator, refuse_reference

from .complexity import explains, is_too_expensive
from .json_value import is_json


@dataclass(frozen=True)
class CompiledSchema:
    """A compiled schema. Formats are asserted; the draft is that of `$schema` (default 2020-12)."""

    document: SchemaDocument  # to which the paths of `errors` refer
    is_valid: Callable[[Any], bool]  # for JSON values; False if validating one would take too long
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]
    cost: ValidationCost | None = None  # None: validation never takes too long

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema; its references may be written in another way than the author's."""
        return self.document.schema

    @cached_property
    def subschema(self) -> Callable[[JsonPath], Any]:
        """Return the validator of a part by its path in `document.plain`; None if it has none."""
        return cache(SubschemaValidators(self.document.plain.schema).at)

    def part_accepts(self, path: JsonPath, value: Any) -> bool:
        """True if the part at `path` accepts a JSON value, or has no validator."""
        validator = self.subschema(path)
        return validator is None or bool(validator.is_valid(value))

    def is_too_expensive(self, value: Any) -> bool:
        """True if a JSON value is refused because validating it would take too long."""
        return self.cost is not None and is_too_expensive(self.cost, value)

    def explains(self, value: Any) -> bool:
        """True if all faults of a JSON value can be found in time, by `errors`."""
        return not self.is_too_expensive(value) and explains(self.document, value)

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
    is_valid: Callable[[Any], bool] = made.validator.is_valid
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]] = made.validator.iter_errors
    explained = document.rewritten
    if explained is not document:  # the validator counts the paths in its errors from the nearest `$id`
        build = partial(build_validator, explained.schema, formats=True, retrieve=refuse_reference)
        errors = partial(_errors, cache(build))
    if made.is_translated:
        explained = SchemaDocument(translate_property_patterns(explained.schema))
    if cost is not None:
        is_valid = partial(_is_valid, is_valid, cost)
    return CompiledSchema(explained, is_valid, errors, cost)


def _is_valid(validate: Callable[[Any], bool], cost: ValidationCost, value: Any) -> bool:
    return not is_too_expensive(cost, value) and validate(value)


def _errors(build: Callable[[], BuiltValidator], value: Any) -> Iterator[jsonschema_rs.ValidationError]:
    return build().validator.iter_errors(value)
