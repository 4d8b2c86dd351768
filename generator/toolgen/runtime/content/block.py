"""A block of a result as callers get it: the data is read, its media type is known."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import KW_ONLY, dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from toolgen.runtime.text import well_formed

from .values import Audience, BlockType

_LOGGED = ("type", "media_type", "size", "sha256")
_TEXTS = ("media_type", "name", "title", "description", "uri")  # fields that the tool wrote
_SHOWN = ("type", *_TEXTS, "text", "size", "sha256", "audience", "priority")


@dataclass(frozen=True, slots=True)
class Block:
    """One image, recording, file, link or text of a result, valid by the tool's contract."""

    type: BlockType
    data: bytes = field(repr=False)  # of a text its UTF-8; empty for a link
    _: KW_ONLY
    media_type: str | None = None  # only a link may have none
    name: str | None = None  # of a file, or of what a link points to
    title: str | None = None
    description: str | None = None
    uri: str | None = None
    audience: tuple[Audience, ...] = ()  # empty: not said
    priority: float | None = None
    size: int | None = None  # bytes; None for a link whose size is not known
    sha256: str = ""  # of `data`, in hexadecimal; empty for a link

    def __post_init__(self) -> None:
        for name in _TEXTS:
            text = getattr(self, name)
            if text is not None and not text.isascii():
                object.__setattr__(self, name, well_formed(text))

    @property
    def identifier(self) -> str:
        """An identifier of the data, for protocols that want an address and blocks that have none.

        It ends in the name, if there is one: MCP has no other place for the name of an embedded resource.
        """
        return f"urn:sha256:{self.sha256}" + (f"#{quote(self.name, safe='')}" if self.name else "")

    @property
    def base64(self) -> str:
        """The data in base64."""
        return base64.b64encode(self.data).decode("ascii")

    @property
    def data_url(self) -> str:
        """The data as a URL."""
        return f"data:{self.media_type};base64,{self.base64}"

    @property
    def default_name(self) -> str:
        """The name of the block, or one made of its address or its type."""
        if self.name:
            return self.name
        last = urlsplit(self.uri or "").path.rstrip("/").rpartition("/")[2]
        return last or self.uri or self.type

    @property
    def text(self) -> str:
        """The data of a text, or of a file that holds text. Raises UnicodeDecodeError for others."""
        return self.data.decode()

    def as_text(self) -> str:
        """Return the text of a block for callers that take nothing else: its text, its address, or its kind.

        Data that is not text is described and never encoded.
        """
        if self.type == "text":
            return self.text
        named = " ".join(part for part in (self.title or self.name, self.description) if part)
        size = "" if self.size is None else f"{self.size:,} bytes"
        facts = ", ".join(part for part in (self.media_type, named, size) if part)
        return f"[{self.type}: {facts}]" if self.uri is None else f"[{self.type}: {facts}] {self.uri}"

    def as_log(self) -> dict[str, Any]:
        """Return type, media type, size and hash, without anything that the tool wrote."""
        return {key: value for key in _LOGGED if (value := getattr(self, key)) not in (None, "")}

    def as_dict(self) -> dict[str, Any]:
        """Return type, media type, size, hash and so on as a dict: everything but the data of a file."""
        # `text` cannot be read of other blocks
        keys = (key for key in _SHOWN if key != "text" or self.type == "text")
        fields = {key: getattr(self, key) for key in keys} | {"audience": list(self.audience)}
        return {key: value for key, value in fields.items() if value not in (None, "", [])}


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
