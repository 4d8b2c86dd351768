"""Texts that look like secrets: by the name of their property, or by themselves."""

from __future__ import annotations

import re
from typing import Any, Final

from toolgen.runtime.logs.redaction import MASK

_NAME: Final = re.compile(
    r"(?i)pass(word|wd|phrase)|secret|api[-_]?key|private[-_]?key|authorization|credential|cookie"
    r"|(access|refresh|auth|id|session|bearer)[-_]?token|^token$"
)
_TEXT: Final = re.compile(
    r"(?i:bearer|basic)\s+[\w.~+/=-]{8,}"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abp]|glpat)[-_][\w-]{12,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
)
# Tried once for each run of its characters: the first `eyJ` of a run decides for all of them.
_JWT: Final = re.compile(r"(?<![\w-])(?P<before>(?:(?!\beyJ)[\w-])*+)eyJ[\w-]++\.[\w-]++\.[\w-]*+")


def without_secret_texts(value: Any) -> Any:
    """Return a JSON value with MASK instead of each text that looks like a secret."""
    if isinstance(value, str):
        return _JWT.sub(rf"\g<before>{MASK}", _TEXT.sub(MASK, value))
    if isinstance(value, list):
        return [without_secret_texts(each) for each in value]
    if isinstance(value, dict):
        return {
            name: MASK
            if isinstance(inner, str) and inner and _NAME.search(name)
            else without_secret_texts(inner)
            for name, inner in value.items()
        }
    return value


def holds_secret_text(value: Any) -> bool:
    """True if a text in a JSON value looks like a secret."""
    return bool(without_secret_texts(value) != value)
