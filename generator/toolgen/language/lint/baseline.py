"""A baseline: the findings that a project had when it began to lint. New ones fail, these do not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from toolgen.schema.document import JsonPath, format_pointer

VERSION: Final = 1
_MEMBER: Final = "toolgen-lint-baseline"


class BaselineError(ValueError):
    """A text that is no baseline of this version."""


def fingerprint(code: str, subject: str, path: JsonPath) -> str:
    """Return what a finding is recognised by: its rule, its tool or file, and its place in it."""
    return sha256(json.dumps([code, subject, format_pointer(path)]).encode()).hexdigest()[:16]


def baseline_text(findings: Iterable[tuple[str, str, str]]) -> str:
    """Return the file for findings: rule, file and fingerprint of each."""
    rows = [{"rule": rule, "file": file, "fingerprint": each} for rule, file, each in sorted(findings)]
    return json.dumps({_MEMBER: VERSION, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def parse_baseline(text: str) -> Counter[str]:
    """Return how often a baseline has each fingerprint. Raises `BaselineError` if it is not one."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise BaselineError("it is not JSON") from None
    if not isinstance(data, dict) or _MEMBER not in data:
        raise BaselineError(f"it has no member {_MEMBER!r}")
    if data[_MEMBER] != VERSION:
        raise BaselineError(
            f"it has version {str(data[_MEMBER])[:20]}, and this toolgen reads version {VERSION}"
        )
    rows = data.get("findings")
    if not isinstance(rows, list):
        raise BaselineError("'findings' is not a list")
    found = [row.get("fingerprint") if isinstance(row, dict) else None for row in rows]
    if not all(isinstance(each, str) for each in found):
        raise BaselineError("a finding has no fingerprint")
    return Counter(map(str, found))
