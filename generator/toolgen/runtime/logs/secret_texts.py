"""Texts that look like secrets: by the name of their property, or by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

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
_WRITTEN: Final = re.compile(  # a name in YAML or JSON, with a quoted text or a single word
    r"((?<![\w-])([\w-]++)[\"']?:[ \t]++)"
    r"(\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[^\s,}\]{\[\"'#&*|>][^\s,}\]]*+)(?=[ \t]*+(?:[,}\]#\n]|\Z))"
)


def secret_texts(value: Any, name: str = "") -> Iterator[str]:
    """Yield the texts in a JSON value that look like secrets; `name` is that of the property that has it."""
    if isinstance(value, str):
        if value and _NAME.search(name):
            yield value
            return
        yield from (found[0] for found in _TEXT.finditer(value))
        yield from (found[0].removeprefix(found["before"]) for found in _JWT.finditer(value))
    elif isinstance(value, list):
        for each in value:
            yield from secret_texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from secret_texts(each, key)


def covered(text: str) -> str:
    """Return YAML or a message with asterisks in the place of what looks like a secret.

    There are as many as characters, so that columns stay.
    """
    text = _TEXT.sub(lambda found: _stars(found[0]), text)
    text = _JWT.sub(lambda found: found["before"] + _stars(found[0].removeprefix(found["before"])), text)
    return _WRITTEN.sub(lambda found: found[1] + (_stars if _NAME.search(found[2]) else str)(found[3]), text)


def _stars(secret: str) -> str:
    return "".join(each if each == "\n" else "*" for each in secret)
