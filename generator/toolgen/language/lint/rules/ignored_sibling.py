"""ignored-sibling: keywords beside a `$ref` in draft-07, which ignores them.

Example:

    $schema: http://json-schema.org/draft-07/schema#
    properties:
      amount: {$ref: "#/definitions/Money", minimum: 1}

Use instead:

    properties:
      amount: {allOf: [{$ref: "#/definitions/Money"}, {minimum: 1}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import Draft, JsonPath

_HARMLESS = {"$ref", "description", "title", "$comment", "default"}  # nothing to enforce


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a `$ref` of draft-07 with keywords beside it that would be enforced elsewhere."""
    if schema.draft is Draft.DRAFT_7 and node.keys() - _HARMLESS:
        yield Diagnostic(
            schema.bound.key((*path, "$ref")),
            "ignored-sibling",
            "draft-07 ignores every keyword beside a `$ref`",
            "put the `$ref` into `allOf`, or drop `$schema` for 2020-12",
        )
