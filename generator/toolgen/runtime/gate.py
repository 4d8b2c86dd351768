"""The author's schema as a compiled check: what it accepts is accepted, what it refuses is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from toolgen.schema.patterns import enforceable

from .plain import is_json


@dataclass(frozen=True, slots=True)
class Gate:
    """A schema that compiled: formats are asserted, the draft is the one of `$schema` (default 2020-12)."""

    schema: Mapping[str, Any]
    fits: Callable[[Any], bool]  # for values known to be JSON
    errors: Callable[[Any], Iterator[jsonschema_rs.ValidationError]]

    def accepts(self, value: Any) -> bool:
        """Whether `value` is JSON and the schema accepts it."""
        return is_json(value) and self.fits(value)


def compile_gate(schema: Mapping[str, Any]) -> Gate:
    """Compile `schema`. Raises ValueError where it is not a schema or refers to anything outside itself."""
    validator = compiled(schema)
    return Gate(schema, validator.is_valid, validator.iter_errors)


def compiled(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    """A validator for `schema`; patterns are relaxed only where the engine refuses them as they are.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, where there is no way to enforce it.
    """
    try:
        return _validator(schema)
    except ValueError:
        relaxed = enforceable(schema)
        if relaxed is schema:
            raise
        return _validator(relaxed)


def _validator(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(dict(schema), validate_formats=True, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri!r}: only references within itself are followed")
