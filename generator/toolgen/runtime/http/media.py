"""Media types, by how their content can be said in JSON."""

from __future__ import annotations

import re
from typing import Final

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""What a method or the name of a header is made of: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2."""

_TEXTUAL = ("/xml", "+xml", "yaml", "/jsonl", "/x-ndjson", "/json-seq", "/sdp", "/graphql", "/javascript")


def kind_of(media_type: str) -> str:
    """Type and subtype, without parameters."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """application/json and its kin: https://www.rfc-editor.org/rfc/rfc6839#section-3.1."""
    kind = kind_of(media_type)
    return kind in ("application/json", "text/json") or kind.endswith("+json")


def is_text(media_type: str) -> bool:
    """Whether it can be said as a string."""
    kind = kind_of(media_type)
    return kind.startswith("text/") or kind.endswith(_TEXTUAL)


def is_binary(media_type: str) -> bool:
    """Whether it has to be said in base64."""
    kind = kind_of(media_type)
    return not (kind in (FORM, MULTIPART, "*/*") or is_json(kind) or is_text(kind))
