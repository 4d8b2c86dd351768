"""The spec language, version 1, as JSON Schema: what a spec in YAML and a definition in Python may say.

Both are validated by it (`check.py`), and editors get it from `toolgen schema`. It says the shape only: rules
about several fields are in `rules.py`. The classes of valid values are in `data/spec.py`.
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


def _pattern_of(definition: str, field: str) -> str:
    schema = DEFINITIONS[definition]["properties"][field]
    return str(schema.get("items", schema)["pattern"])


NAME: Final = _pattern_of("Tool", "name")
CODE: Final = _pattern_of("ErrorSpec", "code")
IDENTIFIER: Final = _pattern_of("Inject", "name")
POINTER: Final = _pattern_of("Page", "items")
GROUP: Final = _pattern_of("Tool", "group")  # OpenAI's for namespaces, beginning with a letter
TARGET_NAME: Final = _pattern_of("OwnTargetOptions", "name")  # a target's own pattern may ask for more
TEXT: Final = _pattern_of("Tool", "description")  # not blank

PATTERNS: Final[Mapping[str, tuple[str, str]]] = {
    _pattern_of("ContentSpec", "media_types"): (
        "a media type",
        "type/subtype in small letters: image/png, or image/* for every image",
    ),
    POINTER: ("a JSON Pointer to a property", "write /orders, or /result/orders"),
    NAME: (
        "a tool's name",
        "letters, digits, `_` and `-`, at most 64 of them, not beginning with a digit or `-`",
    ),
    CODE: (
        "an error's code",
        "snake_case: small letters, digits and `_`, at most 64 of them, beginning with a letter",
    ),
    IDENTIFIER: ("a Python argument", "letters, digits and `_`, beginning with a small letter or `_`"),
    _pattern_of("Inject", "type"): (
        "a Python type with its module",
        "names with dots between them: sqlite3.Connection",
    ),
    _pattern_of("Auth", "secrets"): (
        "an environment variable",
        "letters, digits and `_`, not beginning with a digit: SHOP_API_KEY",
    ),
    GROUP: ("a group", "letters, digits, `_` and `-`, at most 64 of them, beginning with a letter"),
    _pattern_of("AnthropicOptions", "allowed_callers"): (
        "a caller",
        "direct or code_execution_<date>: code_execution_20260521",
    ),
    _pattern_of("McpOptions", "name"): ("a published name", "printable characters, at most 256 of them"),
    TARGET_NAME: ("a published name", "letters, digits, `_`, `-` and `.`, at most 128 of them"),
}
"""Patterns → what they are the pattern of, and what to write."""

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
