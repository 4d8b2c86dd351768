"""foreign-pattern: a pattern in the syntax of one programming language.

Example:

    day: {type: string, pattern: "(?P<year>[0-9]{4})"}

Use instead:

    day: {type: string, pattern: "(?<year>[0-9]{4})"}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath

_SLASHES: Final = re.compile(r"/(\^.*|.*\$)/[a-z]*", re.DOTALL)
_RAW: Final = re.compile(r"""r(["'])(\^.*|.*\$)\1""", re.DOTALL)
_PYTHON: Final = re.compile(r"(?<!\\)\(\?P[<=>]")


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about slashes or Python's quotes around a pattern, and about Python's named groups."""
    pattern = node["pattern"]
    if _SLASHES.fullmatch(pattern):
        message = "the slashes are part of the pattern, so no text matches it"
        hint = "remove the slashes: the text alone is the pattern"
    elif _RAW.fullmatch(pattern):
        message = "the `r` and the quotes of Python are part of the pattern, so no text matches it"
        hint = "remove the `r`, and write the pattern in single quotes"
    elif _PYTHON.search(pattern):
        message = "`(?P<name>…)` is Python's syntax, and JSON Schema has that of JavaScript"
        hint = "write `(?<name>…)`, or `(…)`"
    else:
        return
    yield Diagnostic(schema.bound.value((*path, "pattern")), "foreign-pattern", message, hint)
