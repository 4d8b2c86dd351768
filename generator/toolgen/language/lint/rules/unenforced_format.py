"""unenforced-format: a `format` that JSON Schema does not have, so that it is not enforced.

Example:

    created: {type: string, format: datetime}

Use instead:

    created: {type: string, format: date-time}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import FORMATS

_NO_SUGGESTION = "it is published unchanged; a `pattern` would be enforced"


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about an unknown `format`."""
    if node["format"] in FORMATS:
        return
    name = str(node["format"])
    if name.lower() == "datetime":
        hint = "did you mean 'date-time'?"
    else:
        hint = did_you_mean(name, FORMATS, cutoff=0.75) or _NO_SUGGESTION
    yield Diagnostic(
        schema.bound.value((*path, "format")),
        "unenforced-format",
        f"the format {quoted(name)} is unknown, and is not enforced",
        hint,
    )
