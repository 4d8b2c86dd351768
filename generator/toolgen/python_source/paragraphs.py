"""A printed module as its constants and what is between them, so that what did not change is laid out once.

The files that all tools share are megabytes of data, a constant or two a tool. How a constant is laid out is
no matter of what stands around it: where one changes, the others are taken as they were.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, zip_longest

_FEW = 50  # constants that are laid out sooner one by one than with all the others
_CONSTANT = re.compile(r"(?<=\n\n)([A-Z][A-Z0-9_]*: Final[^=\n]* = [^\n]+(?:\n[^\n]+)*)(?=\n\n)")
"""From an empty line to an empty line. Inside such data there is none: text is printed with escapes."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A module laid out, but for the constants that changed."""

    between: Sequence[str]  # what is before, between and after the constants
    constants: Sequence[str | None]  # None: changed
    changed: Mapping[int, str]  # position among them → text, not laid out

    def joined(self, made: Mapping[int, str]) -> str:
        """The module; `made` is what has changed, laid out as modules of their own."""
        constants = (made[at].rstrip("\n") if old is None else old for at, old in enumerate(self.constants))
        return _together(constants, self.between)


def remembered(text: str, laid_out: str) -> bytes:
    """What to keep of a module that was laid out; of no use where its parts cannot be told apart."""
    constants, between = _apart(text)
    theirs, others = _apart(laid_out)
    if list(map(_name, constants)) != list(map(_name, theirs)) or not _are_statements(others):
        return b""
    made = {_hash(constant): found for constant, found in zip(constants, theirs, strict=True)}
    return json.dumps([_hash(*between), others, made], ensure_ascii=False).encode()


def recalled(text: str, kept: bytes) -> Recalled | None:
    """The module `text` from what was kept of it; None where most of it is new."""
    constants, between = _apart(text)
    try:
        known, others, made = json.loads(kept)
        found = [made.get(_hash(constant)) for constant in constants]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    changed = {at: constants[at] for at, old in enumerate(found) if old is None}
    if known != _hash(*between) or len(changed) > _FEW or not all(map(_is_whole, changed.values())):
        return None
    return Recalled(others, found, changed)


def _apart(text: str) -> tuple[list[str], list[str]]:
    parts = _CONSTANT.split(text)
    return parts[1::2], parts[::2]


def _together(constants: Iterable[str], between: Iterable[str]) -> str:
    return "".join(chain.from_iterable(zip_longest(between, constants, fillvalue="")))


def _name(constant: str) -> str:
    return constant.partition(":")[0]


def _hash(*texts: str) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


def _are_statements(between: Sequence[str]) -> bool:
    """Whether what stands in the gaps are statements of the module, and not lines of some longer text."""
    gaps, stand_in = len(between) - 1, "_: None"
    try:
        body = ast.parse(_together([stand_in] * gaps, between)).body if gaps else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return [ast.unparse(node) for node in body if isinstance(node, ast.AnnAssign)].count(stand_in) == gaps


def _is_whole(constant: str) -> bool:
    """Whether it is Python by itself, and no part of a longer text that only looks like it."""
    try:
        first, *more = ast.parse(constant).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(first, ast.AnnAssign) and all(isinstance(node, ast.Expr) for node in more)
