"""How many columns the formatter counts for a text: East Asian characters and emoji take two.

The ranges are a fixed list: those of `unicodedata` depend on the version of Python.
"""

from __future__ import annotations

import re

_WIDE = (
    "\u2705\u2728\u274c\u2753-\u2755\u2795-\u2797\u3001-\u3003\u3005-\u3029\u3041-\u3096\u30a1-\u30fa"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60"
    "\U0001f300-\U0001f320\U0001f337-\U0001f37c\U0001f3a0-\U0001f3c4\U0001f3e0-\U0001f3f0"
    "\U0001f400-\U0001f43e\U0001f442-\U0001f4f7\U0001f500-\U0001f53d\U0001f5fb-\U0001f64f"
    "\U0001f680-\U0001f6c5\U0001f910-\U0001f918"
)
_NARROW = (
    " -~\xa1-\xac\xae-\u02ff\u0388-\u03ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20c0\u2190-\u2199\u2200-\u22ff\u2500-\u259f"
)
_TWO_COLUMNS = f"[{_WIDE}]"
_UNKNOWN = f"[^\n{_NARROW}{_WIDE}]"


def width(text: str) -> int:
    """Return the number of columns of a line; a guess if `is_width_known` is false."""
    return len(text) if text.isascii() else len(text) + len(re.findall(_TWO_COLUMNS, text))


def is_width_known(text: str) -> bool:
    """True if `width` is right for the lines of `text`: it has no combining marks and the like."""
    return text.isascii() or not re.search(_UNKNOWN, text)
