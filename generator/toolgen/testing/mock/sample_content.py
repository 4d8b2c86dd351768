"""Small real files of many media types, and links and texts, for the results of mocks."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from toolgen.runtime.content.values import Audio, Content, File, Image, Link, Text
from toolgen.runtime.definition.tool_definition import ContentDefinition

_NOTE: Final = "Made up by a mock."


def sample_content(rule: ContentDefinition, tool_name: str) -> Content | None:
    """Return content that satisfies an entry of `content` in a spec; None if there is no such sample."""
    types, limit = rule.get("media_types", ()), rule.get("max_bytes")
    if rule["type"] == "link":
        media_type = next((each for each in types if not each.endswith("*")), None)
        return Link(f"https://example.com/mock/{tool_name}", media_type=media_type, description=_NOTE)
    if rule["type"] == "text":
        return _text(types, limit)
    kind = rule["type"]
    for media_type in _candidates(kind, types):
        data = _SAMPLES[media_type]()
        if limit is None or len(data) <= limit:
            name = f"mock.{_EXTENSIONS.get(media_type, 'bin')}"
            return _CLASSES[kind](data, media_type=media_type, name=name)
    return None


def _text(types: Any, limit: int | None) -> Text | None:
    media_type = next((each for each in types if not each.endswith("*")), "text/plain")
    sample = _SAMPLES.get(media_type)
    text = sample().decode() if sample is not None else _NOTE
    return Text(text if limit is None else text[:limit], media_type=media_type)


def _candidates(kind: str, types: Any) -> list[str]:
    """Return the media types of samples that a rule allows, the usual one of its kind first."""
    known = sorted(_SAMPLES, key=list(_SAMPLES).index)
    if kind in ("image", "audio"):
        known = [each for each in known if each.startswith(f"{kind}/")]
    elif not types:
        known = ["application/pdf", *known]
    if not types:
        return known
    return [each for each in known if each in types or f"{each.partition('/')[0]}/*" in types]


@cache
def _png() -> bytes:
    """Return a picture of 8 by 8 grey pixels."""
    rows = b"".join(b"\x00" + b"\xb0" * 8 for _ in range(8))
    header = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
    parts = (_png_part(b"IHDR", header), _png_part(b"IDAT", zlib.compress(rows)), _png_part(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _png_part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@cache
def _jpeg() -> bytes:
    """Return a picture of one grey pixel."""
    tables = b"\xff\xdb\x00\x43\x00" + b"\x01" * 64
    frame = b"\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00"
    codes = (
        b"\xff\xc4\x00\x14\x00\x01" + bytes(15) + b"\x00" + b"\xff\xc4\x00\x14\x10\x01" + bytes(15) + b"\x00"
    )
    scan = b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x3f"
    return (
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
        + tables
        + frame
        + codes
        + (scan + b"\xff\xd9")
    )


def _gif() -> bytes:
    """Return a picture of one grey pixel."""
    screen = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xb0\xb0\xb0\x00\x00\x00"
    return screen + b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"


def _webp() -> bytes:
    return b64decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")


def _svg() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'


@cache
def _wav() -> bytes:
    """Return a tenth of a second of silence: 8,000 samples a second, 8 bits."""
    samples = b"\x80" * 800
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    data = b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", 4 + len(form) + len(data)) + b"WAVE" + form + data


def _mp3() -> bytes:
    """Return two frames of silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz."""
    return (b"\xff\xfb\x90\x64" + bytes(413)) * 2


def _mp4() -> bytes:
    """Return a file without tracks."""
    return b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + b"\x00\x00\x00\x08free"


@cache
def _pdf() -> bytes:
    """Return a page with one line of text."""
    stream = f"BT /F1 12 Tf 20 100 Td ({_NOTE}) Tj ET".encode()
    bodies = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    text, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%btrailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return text + end % (table, len(text))


def _of(text: str) -> Callable[[], bytes]:
    return text.encode


_SAMPLES: Final[Mapping[str, Callable[[], bytes]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
    "image/svg+xml": _svg,
    "audio/wav": _wav,
    "audio/mpeg": _mp3,
    "application/pdf": _pdf,
    "video/mp4": _mp4,
    "text/plain": _of(f"{_NOTE}\n"),
    "text/markdown": _of(f"# Mock\n\n{_NOTE}\n"),
    "text/html": _of(f"<!doctype html>\n<title>Mock</title>\n<p>{_NOTE}</p>\n"),
    "text/csv": _of(f"number,note\r\n1,{_NOTE}\r\n"),
    "text/xml": _of(f"<note>{_NOTE}</note>\n"),
    "application/json": _of(f'{{"note": "{_NOTE}"}}\n'),
    "application/xml": _of(f"<note>{_NOTE}</note>\n"),
    "application/yaml": _of(f"note: {_NOTE}\n"),
    "application/zip": lambda: b"PK\x05\x06" + bytes(18),
    "application/octet-stream": lambda: b"\x00mock",
}
"""Media type → sample, the usual ones of each kind first."""

_EXTENSIONS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "application/pdf": "pdf",
    "video/mp4": "mp4",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/html": "html",
    "text/csv": "csv",
    "application/json": "json",
    "application/zip": "zip",
}
_CLASSES: Final[Mapping[str, Callable[..., Content]]] = {"image": Image, "audio": Audio, "file": File}
