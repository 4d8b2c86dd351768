"""Build the validator of a JSON Schema: jsonschema-rs, formats asserted, patterns translated and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from toolgen.schema.document import JsonPath, format_pointer
from toolgen.schema.patterns import is_misread, translate_for_validator, translate_pattern

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


class SubschemaValidators:
    """Validators of the subschemas of one document, each built when it is first asked for.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, if the document cannot be enforced.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        built = build_validator(schema, formats=True, retrieve=refuse_reference)
        self.root = built.validator
        self._draft = {"$schema": schema["$schema"]} if isinstance(schema.get("$schema"), str) else {}
        self._document = translate_for_validator(schema) if built.is_translated else dict(schema)
        self._patterns = PATTERNS if built.is_translated else _BOUNDED
        address = schema.get("$id")
        self._address = address.rstrip("#") if isinstance(address, str) and ":" in address else _ADDRESS
        self._registry: jsonschema_rs.Registry | None = None

    def at(self, path: JsonPath) -> jsonschema_rs.Validator | None:
        """Return the validator of the subschema at `path`; None if it cannot be built alone."""
        if not path:
            return self.root
        try:
            if self._registry is None:
                self._registry = jsonschema_rs.Registry([(self._address, self._document)])
            return jsonschema_rs.validator_for(
                {**self._draft, "$ref": f"{self._address}#{format_pointer(self._translated(path))}"},
                validate_formats=True,
                registry=self._registry,
                retriever=refuse_reference,
                pattern_options=self._patterns,
            )
        except (ValueError, jsonschema_rs.ReferencingError):
            return None

    def _translated(self, path: JsonPath) -> JsonPath:
        """Return the path in the translated document, where patterns of property names may differ."""
        found: Any = self._document
        steps: list[str | int] = []
        for step in path:
            is_key = isinstance(found, dict) and step not in found
            steps.append(translate_pattern(str(step)) if is_key else step)
            found = found[steps[-1]]
        return tuple(steps)


_ADDRESS = "https://schema.invalid/root"
