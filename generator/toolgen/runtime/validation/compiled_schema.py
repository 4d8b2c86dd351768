"""Compile an author's schema into a validator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from toolgen.schema.patterns import enforceable, located, misread

from .json_value import is_json

PATTERNS = jsonschema_rs.FancyRegexOptions(size_limit=100_000_000)  # bytes of one compiled pattern
"""For patterns that are refused by the engine's own limit, a tenth of this: `^.{0,30000}$`."""


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema that compiled: formats are asserted, the draft is the one of `$schema` (default 2020-12)."""

    schema: Mapping[str, Any]  # the author's, as `errors` finds its way in it
    is_valid: Callable[[Any], bool]  # for values known to be JSON
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]

    def accepts(self, value: Any) -> bool:
        """Whether `value` is JSON and the schema accepts it."""
        return is_json(value) and self.is_valid(value)


def compile_schema(schema: Mapping[str, Any]) -> CompiledSchema:
    """Compile `schema`. Raises ValueError where it is not a schema or refers to anything outside itself."""
    validator, as_written = _compiled(schema, True, _refuse)
    return CompiledSchema(
        schema if as_written else located(schema), validator.is_valid, validator.iter_errors
    )


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

    if not misread(schema):
        try:
            return validator(schema, None), True
        except ValueError:
            pass
    return validator(enforceable(schema), PATTERNS), False


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri!r}: only references within itself are followed")
