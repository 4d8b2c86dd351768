"""unenforced-keyword: a keyword that JSON Schema does not have, so that it is not enforced.

Example:

    name: {type: string, nullable: true}

Use instead:

    name: {type: [string, "null"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.lint.bound_schema import LintedSchema
from toolgen.schema.document import Draft, JsonPath
from toolgen.schema.keywords import KEYWORDS
from toolgen.semantics.schema_hints import keyword_hint
from toolgen.suggestions import quoted


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each unknown keyword without `x-` in front, and about one that 2020-12 has not kept."""
    if "additionalItems" in node and schema.draft is Draft.DRAFT_2020_12:
        yield Diagnostic(
            schema.bound.key((*path, "additionalItems")),
            "unenforced-keyword",
            "'additionalItems' is of draft-07, and is not enforced in draft 2020-12",
            "write `items`, which is for the items behind `prefixItems`",
        )
    for key in node:
        if key in KEYWORDS or key.startswith("x-"):
            continue
        yield Diagnostic(
            schema.bound.key((*path, key)),
            "unenforced-keyword",
            f"{quoted(key)} is not a keyword of JSON Schema, and is not enforced",
            keyword_hint(key, node[key], is_root=not path),
        )
