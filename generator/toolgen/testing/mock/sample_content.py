"""Small real files of many media types, and links and texts, for the results of mocks."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

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
        sample = _SAMPLES[media_type]
        if limit is None or len(sample.data) <= limit:
            return _CLASSES[kind](sample.data, media_type=media_type, name=f"mock.{sample.extension}")
    return None


def _text(types: Any, limit: int | None) -> Text | None:
    media_type = next((each for each in types if not each.endswith("*")), "text/plain")
    sample = _SAMPLES.get(media_type)
    text = sample.data.decode() if sample is not None else _NOTE
    return Text(text if limit is None else text[:limit], media_type=media_type)


def _candidates(kind: str, types: Any) -> list[str]:
    """Return the media types of samples that a rule allows, the usual one of its kind first."""
    known = list(_SAMPLES)
    if kind in ("image", "audio"):
        known = [each for each in known if each.startswith(f"{kind}/")]
    elif not types:
        known = ["application/pdf", *known]
    if not types:
        return known
    return [each for each in known if each in types or f"{each.partition('/')[0]}/*" in types]


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


class _Sample(NamedTuple):
    extension: str  # of the name of a file
    data: bytes


def _text_sample(extension: str, text: str) -> _Sample:
    return _Sample(extension, text.encode())


def _encoded(extension: str, *base64: str, rest: bytes = b"") -> _Sample:
    """Return a sample of the bytes that are written in Base64, and the rest."""
    return _Sample(extension, b64decode("".join(base64)) + rest)


_SAMPLES: Final[Mapping[str, _Sample]] = {
    # 8 by 8 grey pixels; the next three have one each
    "image/png": _encoded(
        "png",
        "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADklEQVR4nGPYAAUMlDEAMKIsAZ/h3zIAAAAASUVORK",
        "5CYII=",
    ),
    "image/jpeg": _encoded(
        "jpg",
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ",
        "EBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAA",
        "AAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z",
    ),
    "image/gif": _encoded("gif", "R0lGODlhAQABAIAAALCwsAAAACwAAAAAAQABAAACAkQBADs="),
    "image/webp": _encoded("webp", "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"),
    "image/svg+xml": _text_sample(
        "svg",
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
    ),
    # a tenth of a second of silence: 8,000 samples a second, 8 bits
    "audio/wav": _encoded(
        "wav", "UklGRkQDAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YSADAAA=", rest=b"\x80" * 800
    ),
    # two frames of silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz
    "audio/mpeg": _Sample("mp3", (b"\xff\xfb\x90\x64" + bytes(413)) * 2),
    "application/pdf": _Sample("pdf", _pdf()),
    # without tracks
    "video/mp4": _Sample("mp4", b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2\x00\x00\x00\x08free"),
    "text/plain": _text_sample("txt", f"{_NOTE}\n"),
    "text/markdown": _text_sample("md", f"# Mock\n\n{_NOTE}\n"),
    "text/html": _text_sample("html", f"<!doctype html>\n<title>Mock</title>\n<p>{_NOTE}</p>\n"),
    "text/csv": _text_sample("csv", f"number,note\r\n1,{_NOTE}\r\n"),
    "text/xml": _text_sample("bin", f"<note>{_NOTE}</note>\n"),
    "application/json": _text_sample("json", f'{{"note": "{_NOTE}"}}\n'),
    "application/xml": _text_sample("bin", f"<note>{_NOTE}</note>\n"),
    "application/yaml": _text_sample("bin", f"note: {_NOTE}\n"),
    "application/zip": _Sample("zip", b"PK\x05\x06" + bytes(18)),
    "application/octet-stream": _Sample("bin", b"\x00mock"),
}
"""Media type → sample, the usual ones of each kind first."""
_CLASSES: Final[Mapping[str, Callable[..., Content]]] = {"image": Image, "audio": Audio, "file": File}
