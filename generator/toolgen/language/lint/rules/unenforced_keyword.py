"""unenforced-keyword: a keyword that JSON Schema does not have, so that it is not enforced.

Example:

    name: {type: string, nullable: true}

Use instead:

    name: {type: [string, "null"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.runtime.definition.semantics.schema_hints import keyword_hint
from toolgen.schema.document import Draft, JsonPath
from toolgen.schema.keywords import KEYWORDS

CLOSING: Final = "additionalProperties"
DRAFT_7: Final = {
    "additionalItems": (
        ", and is not enforced in draft 2020-12",
        "write `items`, which is for the items behind `prefixItems`",
    ),
    "dependencies": (
        ": toolgen enforces it, and most validators of draft 2020-12 do not",
        "write `dependentRequired`, or `dependentSchemas` if the values are schemas",
    ),
}
"""Keywords of draft-07 that 2020-12 has replaced → what that means, and what to write."""


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about unknown keywords without `x-` in front, those of draft-07, and misindented ones."""
    for key, (message, hint) in DRAFT_7.items():
        if key in node and schema.draft is Draft.DRAFT_2020_12:
            yield Diagnostic(
                schema.bound.key((*path, key)), "unenforced-keyword", f"{key!r} is of draft-07{message}", hint
            )
    if isinstance(closed := node.get("properties", {}).get(CLOSING), bool):
        yield Diagnostic(
            schema.bound.key((*path, "properties", CLOSING)),
            "unenforced-keyword",
            f"{CLOSING!r} is among the properties, so it is the name of one",
            f"move `{CLOSING}: {str(closed).lower()}` out of `properties`, to the level above, beside `type`",
        )
    for key in node:
        if key in KEYWORDS or key.startswith("x-"):
            continue
        yield Diagnostic(
            schema.bound.key((*path, key)),
            "unenforced-keyword",
            f"{quoted(key)} is not a keyword of JSON Schema, and is not enforced",
            keyword_hint(key, node, is_root=not path),
        )
