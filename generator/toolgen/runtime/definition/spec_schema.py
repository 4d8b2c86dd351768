"""The spec language, version 1, as JSON Schema: what a spec in YAML and a definition in Python may say.

Both are validated by it (`check.py`), editors get it from `toolgen export schema`. It says the shape only:
rules about several fields are in `rules.py`. The classes of valid values are in `language/spec.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

from toolgen.schema.document import JsonObject

SPEC_SCHEMA: Final[JsonObject] = json.loads(
    files("toolgen.runtime.definition").joinpath("spec.schema.json").read_text("utf-8")
)
"""JSON Schema draft-07, whose root is a tool."""

DEFINITIONS: Final[Mapping[str, JsonObject]] = SPEC_SCHEMA["definitions"]
"""Schemas by name; that of a whole tool is `Tool`."""


def pattern_of(definition: str, field: str) -> str:
    """Return the pattern of a field's value, or of the items of its list."""
    schema = DEFINITIONS[definition]["properties"][field]
    return str(schema.get("items", schema)["pattern"])


NAME: Final = pattern_of("Tool", "name")
CODE: Final = pattern_of("ErrorSpec", "code")
IDENTIFIER: Final = pattern_of("Inject", "name")
GROUP: Final = pattern_of("Tool", "group")  # OpenAI's for namespaces, beginning with a letter
TARGET_NAME: Final = pattern_of("OwnTargetOptions", "name")  # a target's own pattern may ask for more
TEXT: Final = pattern_of("Tool", "description")  # not blank

FIELDS: Final = tuple(DEFINITIONS["Tool"]["properties"])
"""The fields of a tool, in the order of the language."""

TARGETS: Final = tuple(DEFINITIONS["Targets"]["properties"])
"""The targets that have options of their own."""

SCHEMA_FIELDS: Final = (("input_schema",), ("output_schema",), ("stream", "chunk_schema"))
"""Paths of the fields that hold JSON Schemas."""


def schemas_of(data: object) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the value of every schema field that a tool's data has, whatever the value is."""
    for path in SCHEMA_FIELDS:
        inner = data
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if inner is not None:
            yield path, inner
