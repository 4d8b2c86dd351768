"""Units of size: bytes on the wire, and tokens of OpenAI's vocabulary o200k."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

from toolgen.compile.publishing.request_limits import json_size
from toolgen.project import UnableError

BYTES: Final = "bytes"
O200K: Final = "o200k"
UNITS: Final = (BYTES, O200K)
NOUNS: Final = {BYTES: "bytes", O200K: "tokens"}

_MAX_PIECE: Final = 50_000  # characters, of at most four tokens each; bpe-openai refuses 200,000 tokens


def measure_in(unit: str) -> Callable[[Any], int]:
    """Return the function that measures JSON data, written compactly, in a unit.

    Raises `UnableError` if the package with the vocabulary is not installed.
    """
    if unit == BYTES:
        return json_size
    encode = _encoder()
    return lambda value: count_tokens(compact_text(value), encode)


def text_measures() -> dict[str, Callable[[str], int]]:
    """Return the functions that measure text, by unit: those whose packages are installed."""
    measures: dict[str, Callable[[str], int]] = {BYTES: lambda text: len(text.encode())}
    with suppress(UnableError):
        encode = _encoder()
        measures[O200K] = lambda text: count_tokens(text, encode)
    return measures


def compact_text(value: Any) -> str:
    """Return JSON data as it is sent."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()  # a lone surrogate cannot be sent


def count_tokens(text: str, encode: Callable[[str], list[int]]) -> int:
    """Return the number of tokens. Texts too long for the encoder are cut: one token more at each cut."""
    pieces = (text[start : start + _MAX_PIECE] for start in range(0, len(text), _MAX_PIECE))
    return sum(len(encode(piece)) for piece in pieces)


@cache
def _encoder() -> Callable[[str], list[int]]:
    """Return the function that encodes text without special tokens: a text that names one is only a text."""
    try:
        from bpe_openai import get_encoding  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        if error.name != "bpe_openai":
            raise
        message = "the unit 'o200k' needs the package bpe-openai, which has OpenAI's vocabulary"
        raise UnableError("not-installed", message, "pip install 'toolgen[tokens]'") from error
    encode: Callable[[str], list[int]] = get_encoding("o200k_base").encode_ordinary
    return encode
