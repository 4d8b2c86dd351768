"""What providers allow, as data: limits have moved before, so each stands here once, with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class StrictLimits:
    """The size that a provider allows a strict schema."""

    properties: int  # of all objects together
    depth: int  # objects inside objects, the root being the first
    enum_values: int  # of all enums together
    text: int  # characters of property names, definition names, enum and const values together
    long_enum: int  # an enum of strings with more values than this ...
    long_enum_text: int  # ... may have at most so many characters


OPENAI_STRICT: Final = StrictLimits(
    # https://developers.openai.com/api/docs/guides/structured-outputs: "Objects have limitations on nesting
    # depth and size", "Limitations on total string size", "Limitations on enum size"; as of 2026-11.
    properties=5_000,
    depth=10,
    enum_values=1_000,
    text=120_000,
    long_enum=250,
    long_enum_text=15_000,
)

OPENAI_TOOL_NAME: Final = r"^[a-zA-Z0-9_-]{1,64}$"  # docstrings of `FunctionDefinition.name` in openai 3.51

OPENAI_FORMATS: Final = frozenset(
    # The same guide, "Supported properties"; any other is refused ("'uri' is not a valid format").
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

OPENAI_KEYWORDS: Final = {
    # The same guide, "Supported properties" and "Supported schemas": what may stand beside each `type`.
    "string": frozenset({"pattern", "format"}),
    "number": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "integer": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "array": frozenset({"minItems", "maxItems"}),
    "object": frozenset[str](),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
