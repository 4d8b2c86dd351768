"""undecided-reference: a `$dynamicRef` that names several schemas, one of which a call decides.

Example:

    folder: {$id: folder, $dynamicAnchor: node, properties: {child: {$dynamicRef: "#node"}}}
    closed: {$id: closed, $dynamicAnchor: node, $ref: folder}

Use instead:

    folder: {$id: folder, properties: {child: {$ref: "#"}}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath, Located


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a reference without a type in models, whose edits `breaking` cannot judge."""
    for keyword, target in schema.bound.document.references(node, path):
        if not isinstance(target, Located) and target.candidates:
            yield Diagnostic(
                schema.bound.value((*path, keyword)),
                "undecided-reference",
                f"{quoted(node[keyword])} names one of {len(target.candidates)} schemas, as a call decides; "
                "its type in models is `Any`",
                "use `$ref` if it is always the same schema",
            )
