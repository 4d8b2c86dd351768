"""Limits of providers on names, schemas, requests and messages; `providers.toml` has their sources.

A name that a target refuses is an error; any other exceeded limit is a warning at the author's line.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class StrictRequestLimits:
    """The size of the grammar that a provider compiles for one request, of all its strict tools together."""

    tools: int
    optional: int  # properties that are not required
    unions: int  # places with `anyOf` or several types


@dataclass(frozen=True, slots=True)
class CarriedContent:
    """The data that a message of one API can hold: media types, each with the API's word for it."""

    api: str
    image: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def formats(self, kind: str) -> Mapping[str, str]:
        """Return the media types of a type of block whose data the API takes."""
        if kind == "file":
            return {**self.file, **self.image}
        return self.image if kind == "image" else {}


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The limits of a provider, in any dialect. None: no limit is known."""

    tool_name: str = "^.+$"  # pattern of the whole name
    max_description: int | None = None  # characters
    max_tools: int | None = None  # in one request
    max_cache_points: int = 0  # in one request
    strict_request: StrictRequestLimits | None = None
    argument_name: str | None = None  # pattern, of the properties at the root
    root: frozenset[str] = frozenset()  # keywords that are refused at the root of the input schema
    needs: frozenset[str] = frozenset()  # keywords that must be written out, see `dialects/complete.py`
    input_examples: int = 0  # maximum number published beside the schema; 0: the API has no field for them
    messages: tuple[CarriedContent, ...] = ()  # of each API


@dataclass(frozen=True, slots=True)
class StrictSchemaLimits:
    """The size that a provider allows a strict schema."""

    properties: int  # of all objects together
    depth: int  # objects inside objects, the root being the first
    enum_values: int  # of all enums together
    text: int  # characters of property names, definition names, enum and const values together
    long_enum: int  # an enum of strings with more values than this ...
    long_enum_text: int  # ... may have at most so many characters


_DATA: Final = tomllib.loads(files("toolgen.schema").joinpath("providers.toml").read_text("utf-8"))
_DIALECTS: Final = _DATA["dialects"]


def _carried(api: str) -> CarriedContent:
    kinds = {
        kind: {name: word for group in groups for name, word in _DATA["media_types"][group].items()}
        for kind, groups in _DATA["carried"][api].items()
    }
    return CarriedContent(api, **kinds)


RESPONSES: Final = _carried("Responses")
MESSAGES: Final = _carried("Messages")
GEMINI: Final = _carried("Gemini")
CONVERSE: Final = _carried("Converse")


def _limits(name: str) -> ProviderLimits:
    data: dict[str, Any] = _DATA[name]
    strict = data.get("strict_request")
    return ProviderLimits(
        **{
            **data,
            "root": frozenset(data["root"]),
            "needs": frozenset(data.get("needs", ())),
            "messages": tuple(map(_carried, data["messages"])),
            "strict_request": strict and StrictRequestLimits(**strict),
        }
    )


PROVIDERS: Final[Mapping[str, ProviderLimits]] = {
    name: _limits(name) for name in ("openai", "anthropic", "bedrock", "gemini")
}

# It SHOULD be 1 to 128 of [A-Za-z0-9_.-] (modelcontextprotocol.io, 2025-11-25 and 2026-07-28), and real
# servers have others.
MCP_TOOL_NAME: Final = r"[^\x00-\x1f\x7f]{1,256}"

MAX_ARGUMENT_NAME: Final = 64  # characters: every provider that limits names of arguments allows so many

ANTHROPIC_KEYWORDS: Final = frozenset(_DIALECTS["anthropic"]["keywords"])
ANTHROPIC_FORMATS: Final = frozenset(_DIALECTS["anthropic"]["formats"])
GEMINI_KEYWORDS: Final = frozenset(_DIALECTS["gemini"]["keywords"])
GEMINI_FORMATS: Final = frozenset(_DIALECTS["gemini"]["formats"])
OPENAI_STRICT: Final = StrictSchemaLimits(**_DIALECTS["openai"]["strict"])
OPENAI_FORMATS: Final = frozenset(_DIALECTS["openai"]["formats"])
OPENAI_KEYWORDS: Final = {
    kind: frozenset(keywords) for kind, keywords in _DIALECTS["openai"]["keywords"].items()
}
"""What strict mode has beside each `type`."""


def ascii_name(name: str, fallback: str, *, hyphens: bool = False, limit: int = sys.maxsize) -> str:
    """Return `name` in at most `limit` ASCII letters, digits, `_` and, if they may stay, hyphens.

    `StartTime<` is `StartTime_`. Letters of other alphabets are replaced by a hash of the name: names that
    consist of them would all be the same, and numbers would change with the properties beside them.
    """
    kept = re.sub(r"[^a-zA-Z0-9_-]" if hyphens else r"[^a-zA-Z0-9_]", "_", name)
    if not any(char.isalnum() and not char.isascii() for char in name):
        return kept[:limit] or fallback
    ending = f"_{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return kept.strip("_")[: limit - len(ending)] + ending


class ProviderNames:
    """Names that are given once each, in the order of requests."""

    def __init__(self, taken: Iterable[str] = (), *, limit: int = sys.maxsize) -> None:
        self._taken = {*taken}
        self._limit = limit
        self._numbers: dict[str, int] = {}  # by name: how far it was searched

    def add(self, name: str) -> str:
        """Return `name`, or the first of `name_2`, `name_3`… that was not given yet."""
        found, number = name, self._numbers.get(name, 1)
        while found in self._taken:
            number += 1
            ending = f"_{number}"
            found = name[: self._limit - len(ending)] + ending
        self._numbers[name] = number
        self._taken.add(found)
        return found
