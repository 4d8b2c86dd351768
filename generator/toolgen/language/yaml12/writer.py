"""Write JSON data as YAML for people, which `yaml12.reader` and readers of YAML 1.1 read alike.

By hand: block and flow style, quotes and block scalars are as a person would write them, and no reader of any
version of YAML takes text for anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.language.yaml12.scalars import ScalarError, resolve_plain

_WIDTH = 100  # columns that text is wrapped at
_FLOW = 72  # characters of a mapping or list that is written on the line of its key
_KEY = 1000  # bytes of a simple key; libyaml reads up to 1024

_PLAIN = re.compile(r"[A-Za-z_$(</.][^\n]*")
_INDICATORS = re.compile(r": |:$| #|\t|\s$|^\.{3}|^---")
_IN_FLOW = re.compile(r"[,?\[\]{}]")  # special inside of brackets only; `?` for PyYAML alone
_YAML_1_1 = re.compile(
    r"(?i:y|n|yes|no|on|off|true|false|null|~)|[-+]?(?:0x[0-9a-f_]+|0b[01_]+|[0-9][0-9_]*(?::[0-5]?[0-9])*"
    r"(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|\.[0-9_]*(?:e[-+]?[0-9]+)?)|[-+]?\.(?i:inf|nan)|<<|=|"
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*",
    re.IGNORECASE,
)
_UNPRINTABLE = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def write(data: Mapping[str, Any]) -> str:
    """Return a mapping as a YAML document. It must hold JSON values only, without lone surrogates."""
    return "".join(f"{line}\n" for line in block(data, 0))


def block(value: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a mapping or list that is not empty, indented by `indent` spaces."""
    pad = " " * indent
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from entry(key, inner, indent)
        return
    for inner in value:
        first, *rest = _node(inner, indent + 2)
        if first.startswith("\n"):  # a block: its first line follows the dash
            lines = [*first[1:].split("\n"), *rest]
            yield f"{pad}- {lines[0][indent + 2 :]}"
            yield from lines[1:]
        else:
            yield f"{pad}- {first}"
            yield from rest


def entry(key: str, value: Any, indent: int) -> Iterator[str]:
    """Yield the lines of one key and its value."""
    pad = " " * indent
    shown = _inline(key, flow=True)
    first, *rest = _node(value, indent + 2)
    # The colon of a simple key comes within 1,024 characters (YAML 1.2.2, section 7.4.2).
    if len(shown.encode()) > _KEY:
        yield f"{pad}? {shown}"
        yield f"{pad}:{first}" if first.startswith("\n") else f"{pad}: {first}"
    else:
        yield f"{pad}{shown}:" + (first if first.startswith("\n") else f" {first}")
    yield from rest


def _node(value: Any, indent: int) -> Iterator[str]:
    """Yield what follows a key: text on its line, or a line break and a block; then further lines."""
    if isinstance(value, str):
        yield from _text(value, indent)
    elif not isinstance(value, Mapping | list) or not value:
        yield _inline(value, flow=False)
    elif (flow := _flow(value)) is not None:
        yield flow
    else:
        lines = block(value, indent)
        yield "\n" + next(lines)
        yield from lines


def _flow(value: Any) -> str | None:
    """Return a small mapping or list in flow style; None if it would be long or hard to read."""
    inner = list(value.values()) if isinstance(value, Mapping) else value
    if len(inner) > 12 or any(isinstance(item, Mapping | list) and item for item in inner):
        return None
    if any(isinstance(item, str) and len(item) > _FLOW for item in inner):
        return None
    if isinstance(value, Mapping):
        if not value.keys().isdisjoint(("description", "properties")):
            return None
        parts = [f"{_inline(key, flow=True)}: {_inline(item, flow=True)}" for key, item in value.items()]
        text = "{" + ", ".join(parts) + "}"
    else:
        text = "[" + ", ".join(_inline(item, flow=True) for item in value) + "]"
    return text if len(text) <= _FLOW else None


def _inline(value: Any, flow: bool) -> str:
    if isinstance(value, str):
        return value if is_plain(value, flow) else _quoted(value)
    if isinstance(value, float):
        # YAML 1.1 reads `1e16` as text: its floats have a point.
        text = repr(value)
        return text if "e" not in text or "." in text else text.replace("e", ".0e")
    return json.dumps(value)  # null, true, 12, {}, []


def is_plain(text: str, flow: bool) -> bool:
    """True if every reader takes unquoted `text` for itself. `flow` is for keys and inside of brackets."""
    if flow and _IN_FLOW.search(text):
        return False
    if not _PLAIN.fullmatch(text) or _INDICATORS.search(text) or _UNPRINTABLE.search(text):
        return False
    if _YAML_1_1.fullmatch(text):
        return False
    try:
        return bool(resolve_plain(text) == text)
    except ScalarError:
        return False


def _quoted(text: str) -> str:
    needs_escapes = "'" in text or "\n" in text or _UNPRINTABLE.search(text)
    if ('"' in text or "\\" in text) and not needs_escapes:
        return f"'{text}'"
    return '"' + _escaped(text) + '"'


def _escaped(text: str) -> str:
    body = json.dumps(text, ensure_ascii=False)[1:-1]
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", body)


def _text(text: str, indent: int) -> Iterator[str]:
    """Yield text: plain, quoted, or as a block scalar if it is long or has several lines."""
    pad = " " * indent
    printable = not _UNPRINTABLE.search(text)
    if "\n" in text.strip("\n"):
        lines = text.split("\n")
        if printable and not any(line != line.rstrip() or line.startswith("\t") for line in lines):
            yield from _literal(text, pad)
        else:
            yield from _lines_in_quotes(lines, pad)
    elif len(text) + indent > _WIDTH and printable and _folds(text):
        yield ">-"
        yield from _wrapped(text, pad)
    else:
        yield _inline(text, flow=False)


def _literal(text: str, pad: str) -> Iterator[str]:
    ending = len(text) - len(text.rstrip("\n"))
    chomp = ("-", "", "+")[min(ending, 2)]
    # without an indicator, readers take the first line's indentation for the block's
    indicator = "2" if text.lstrip("\n").startswith(" ") else ""
    yield f"|{indicator}{chomp}"
    for line in text.removesuffix("\n").split("\n"):
        yield pad + line if line else ""


def _lines_in_quotes(lines: list[str], pad: str) -> Iterator[str]:
    """Yield double-quoted text, one line each: for trailing blanks and tabs, which editors might change."""
    yield '"\\'
    for number, line in enumerate(lines):
        last = number == len(lines) - 1
        body = _escaped(line if last else line + "\n")
        body = "\\" + body if body.startswith(" ") else body
        yield f'{pad}{body}"' if last else f"{pad}{body}\\"


def _folds(text: str) -> bool:
    return text == " ".join(text.split(" ")) and "  " not in text and text == text.strip()


def _wrapped(text: str, pad: str) -> Iterator[str]:
    width = max(_WIDTH - len(pad), 40)
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield pad + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield pad + line
