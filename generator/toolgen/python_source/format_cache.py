"""Cache of formatted modules by constant, so that only constants that changed are formatted again.

The files that all tools share are megabytes of data, a constant or two for each tool. The formatter lays out
a constant independently of its surroundings.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, zip_longest

_MAX_CHANGED = 50  # constants; formatting more of them one by one is slower than formatting the module
_CONSTANT = re.compile(r"(?<=\n\n)([A-Z][A-Z0-9_]*: Final[^=\n]* = [^\n]+(?:\n[^\n]+)*)(?=\n\n)")
"""From one empty line to the next. There is none inside a constant: line breaks are printed as escapes."""


@dataclass(frozen=True, slots=True)
class PartlyFormatted:
    """A formatted module, except for the constants that changed."""

    between: Sequence[str]  # the text before, between and after the constants
    constants: Sequence[str | None]  # None: changed
    changed: Mapping[int, str]  # position among them → unformatted text

    def joined(self, formatted: Mapping[int, str]) -> str:
        """Return the whole module. `formatted` has the changed constants, each formatted as a module."""
        constants = (
            formatted[at].rstrip("\n") if old is None else old for at, old in enumerate(self.constants)
        )
        return _join(constants, self.between)


def format_cache_entry(text: str, formatted: str) -> bytes:
    """Return the cache entry of a formatted module; empty if its constants cannot be told apart."""
    constants, between = _split(text)
    formatted_constants, others = _split(formatted)
    if list(map(_name, constants)) != list(map(_name, formatted_constants)) or not _are_statements(others):
        return b""
    made = {_hash(constant): found for constant, found in zip(constants, formatted_constants, strict=True)}
    return json.dumps([_hash(*between), others, made], ensure_ascii=False).encode()


def load_formatted(text: str, entry: bytes) -> PartlyFormatted | None:
    """Return what the cache `entry` has of the module `text`; None if most of the module changed."""
    constants, between = _split(text)
    try:
        known, others, made = json.loads(entry)
        found = [made.get(_hash(constant)) for constant in constants]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    changed = {at: constants[at] for at, old in enumerate(found) if old is None}
    if known != _hash(*between) or len(changed) > _MAX_CHANGED or not all(map(_is_whole, changed.values())):
        return None
    return PartlyFormatted(others, found, changed)


def _split(text: str) -> tuple[list[str], list[str]]:
    parts = _CONSTANT.split(text)
    return parts[1::2], parts[::2]


def _join(constants: Iterable[str], between: Iterable[str]) -> str:
    return "".join(chain.from_iterable(zip_longest(between, constants, fillvalue="")))


def _name(constant: str) -> str:
    return constant.partition(":")[0]


def _hash(*texts: str) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


def _are_statements(between: Sequence[str]) -> bool:
    """True if the constants are statements of the module, and not lines of a longer text."""
    gaps, placeholder = len(between) - 1, "_: None"
    try:
        body = ast.parse(_join([placeholder] * gaps, between)).body if gaps else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return [ast.unparse(node) for node in body if isinstance(node, ast.AnnAssign)].count(placeholder) == gaps


def _is_whole(constant: str) -> bool:
    """True if the constant is Python by itself, and not part of a longer text."""
    try:
        first, *more = ast.parse(constant).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(first, ast.AnnAssign) and all(isinstance(node, ast.Expr) for node in more)
