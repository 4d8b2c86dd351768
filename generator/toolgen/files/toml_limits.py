"""Limits of TOML text: `tomllib` takes memory that grows with the square of the length of a dotted key."""

from __future__ import annotations

import re
from typing import Final

_MAX_TOML: Final = 256 * 1024
"""Maximum number of characters in a TOML file: `tomllib` takes up to 500 bytes of memory for each."""
_MAX_KEY_PARTS: Final = 100
_STRING_OR_COMMENT: Final = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}+|\Z)'''
    r"""|'{3}(?:[^']|'(?!''))*+(?:'{3,5}+|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?+|'[^'\n]*+'?+|\#[^\n]*+""",
    re.DOTALL,
)
"""An unterminated one matches to its end, too, so that each character is looked at once."""
_DEEP_KEY: Final = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"")[ \t]*+\.[ \t]*+){{{_MAX_KEY_PARTS}}}""")


def toml_limit_fault(text: str, limit: int = _MAX_TOML) -> str | None:
    """Return why `tomllib` would take too much time or memory for a text; None if it would not.

    `limit` is its maximum number of characters.
    """
    if len(text) > limit:
        return f"more than {limit:,} characters of TOML"
    if _DEEP_KEY.search(_STRING_OR_COMMENT.sub(_as_empty_string, text)):
        return f"a key has more than {_MAX_KEY_PARTS} parts"
    return None


def _as_empty_string(found: re.Match[str]) -> str:
    return "" if found[0][0] == "#" else '""'
