"""default-violates-schema: a `default` that its own schema refuses.

Example:

    quantity: {type: integer, minimum: 1, default: 0}

Use instead:

    quantity: {type: integer, minimum: 1, default: 1}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import shortened
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath, is_type

_TYPE_ONLY = frozenset(("type", "title", "description", "default"))


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a `default` that is not valid."""
    value = node["default"]
    kind = node.get("type")
    if node.keys() <= _TYPE_ONLY and isinstance(kind, str) and is_type(value, kind):
        return  # the usual case, without a validator
    # common in generated schemas, and means that the argument may be left out
    if value is None or not schema.explains(value, node):
        return
    validator = schema.validator_of(path, node)
    if value == "None" and validator is not None and validator.is_valid(None):
        yield Diagnostic(
            schema.bound.value((*path, "default")),
            "default-violates-schema",
            "the default is the text 'None', and not null",
            "write `default: null`",
        )
        return
    if validator is None or validator.is_valid(value):
        return
    why = shortened(next(iter(validator.iter_errors(value))).message)
    yield Diagnostic(
        schema.bound.value((*path, "default")),
        "default-violates-schema",
        f"the default is not valid for its own schema: {why}",
        "it is published unchanged, and never sent",
    )
