"""parameter-undescribed: an argument that nothing describes.

Example:

    ref: {type: string}

Use instead:

    ref: {type: string, description: The number on the delivery note.}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.base.suggestions import count, listed, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import Located

_SPEAKING: Final = ("description", "title", "const", "enum", "format", "x-format", "examples", "$comment")
_MAX_STEPS: Final = 10  # references that are followed


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn once about the arguments without a description, a title, a format or a list of values."""
    properties = bound.schema.get("properties")
    if bound.path != ("input_schema",) or not isinstance(properties, Mapping):
        return
    silent = [name for name, schema in properties.items() if not _speaks(bound, schema)]
    if silent:
        yield Diagnostic(
            bound.key(("properties", silent[0])),
            "parameter-undescribed",
            f"{count(len(silent), 'argument')} without a description: {listed(list(map(quoted, silent)))}",
            "say what it means and in which unit or form; a few words are enough",
        )


def _speaks(bound: Bound, schema: Any) -> bool:
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, Mapping) or any(schema.get(key, "") != "" for key in _SPEAKING):
            return True
        # a branch may say it: `anyOf: [{type: string, description: …}, {type: "null"}]`
        branches = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]
        if any(isinstance(each, Mapping) and any(key in each for key in _SPEAKING) for each in branches):
            return True
        target = bound.document.target(schema["$ref"]) if "$ref" in schema else None
        if not isinstance(target, Located):
            return False
        schema = target.value
    return True
