"""Build the validator of a JSON Schema: jsonschema-rs, formats asserted, patterns translated and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from toolgen.schema.patterns import is_misread, translate_for_validator

_BACKTRACKS = 100_000  # for one text and one pattern: a few milliseconds
_BOUNDED = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS)
PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=100_000_000)
"""For patterns that exceed the engine's default size limit, a tenth of this: `^.{0,30000}$`."""


def compiled(
    schema: Mapping[str, Any],
    formats: bool = True,
    retrieve: Callable[[str], Any] | None = None,
) -> jsonschema_rs.Validator:
    """Return a validator for `schema`, which is translated only if the validator would refuse or misread it.

    `retrieve` returns the document at a URI; without it, references must stay within the schema. Raises
    ValueError, or `jsonschema_rs.ReferencingError`, if the schema cannot be enforced.
    """
    return build_validator(schema, formats=formats, retrieve=retrieve or refuse_reference).validator


@dataclass(frozen=True, slots=True)
class BuiltValidator:
    """A validator, and whether it has the author's schema."""

    validator: jsonschema_rs.Validator
    is_translated: bool  # it has a translation of the schema


def build_validator(
    schema: Mapping[str, Any], *, formats: bool, retrieve: Callable[[str], Any]
) -> BuiltValidator:
    """Build a validator: of a translation of `schema` if it would refuse or misread the original."""

    def validator(of: Mapping[str, Any], patterns: Any) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(
            dict(of), validate_formats=formats, retriever=retrieve, pattern_options=patterns
        )

    if not is_misread(schema):
        try:
            return BuiltValidator(validator(schema, _BOUNDED), is_translated=False)
        except ValueError:
            pass
    return BuiltValidator(validator(translate_for_validator(schema), PATTERNS), is_translated=True)


def refuse_reference(uri: str) -> Any:
    """Refuse to load another document."""
    raise ValueError(f"a schema may not refer to {uri!r}: only references within itself are followed")
