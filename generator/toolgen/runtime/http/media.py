"""Media types, by how their content is represented in JSON: as JSON, as a string, or in base64."""

from __future__ import annotations

import re
from typing import Final

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""The syntax of a method and of a header name: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2."""

OCTETS: Final = "application/octet-stream"
ANY: Final = ("*/*", "application/*")
"""Ranges that say nothing about how the content is represented."""

_LINES = "application/stream+json"  # of Spring WebFlux: one JSON value a line
_TEXTUAL = (
    _LINES,
    "/xml",
    "+xml",
    "yaml",
    "/csv",
    "/jsonl",
    "/x-ndjson",
    "/json-seq",
    "/sdp",
    "/graphql",
    "/javascript",
)


def essence(media_type: str) -> str:
    """Return type and subtype, without parameters."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """True for application/json and types that end in +json: https://www.rfc-editor.org/rfc/rfc6839#section-3.1."""
    kind = essence(media_type)
    return kind in ("application/json", "text/json") or (kind.endswith("+json") and kind != _LINES)


def is_text(media_type: str) -> bool:
    """True if content of this type is represented as a string."""
    kind = essence(media_type)
    return kind.startswith("text/") or kind.endswith(_TEXTUAL)


def is_binary(media_type: str) -> bool:
    """True if content of this type is represented in base64."""
    kind = essence(media_type)
    return not (kind in (FORM, MULTIPART, *ANY) or is_json(kind) or is_text(kind))
