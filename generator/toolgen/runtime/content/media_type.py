"""The media type of data: found from its first and last bytes, or checked against them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from mimetypes import MimeTypes
from typing import Final

from .values import BlockType

_ALIASES: Final = {
    "audio/mp3": "audio/mpeg",
    "audio/vnd.wave": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-flac": "audio/flac",
    "audio/x-wav": "audio/wav",
    "image/jpg": "image/jpeg",
    "image/x-ms-bmp": "image/bmp",
}
_CONTAINERS: Final = {  # formats that hold audio as well as video
    "application/ogg": ("audio/ogg", "video/ogg"),
    "video/mp4": ("audio/mp4",),
    "video/webm": ("audio/webm",),
}
SVG: Final = "image/svg+xml"
_SVG_ELEMENT: Final = re.compile(rb"<(?:\w+:)?svg[\s>/]")
_SURE: Final = 0.3  # confidence, from 0 to 1, below which short texts look like pictures
_CHECKED: Final = ("image/", "audio/", "video/", "application/pdf")  # types that are known by their bytes


class MediaTypeError(ValueError):
    """Data is not of the media type that is claimed."""


def media_type_of(
    kind: BlockType,
    data: bytes,
    *,
    given: str | None = None,
    name: str | None = None,
    declared: Collection[str] = (),
) -> str:
    """Return the media type of data.

    Args:
        kind: the kind of block, which an image and audio limit.
        data: all bytes.
        given: the media type that the implementation gives; it is returned if the bytes do not contradict.
        name: the file's name, if it has one.
        declared: media types that the contract allows.

    Raises:
        MediaTypeError: the bytes are of another type than `given`, or than the name says.
    """
    found: dict[str, float] = {}
    for each, confidence in _found(data):
        if kind not in ("image", "audio") or each.startswith(kind):
            found.setdefault(each, confidence)
    types = [*found]
    if given is not None:
        return _checked(_canonical(given), types, data)
    named = _canonical(_by_name().guess_type(name)[0] or "") if name else ""
    # the bytes may fit several types: the name chooses among them
    if named in types:
        return named
    if allowed := next((each for each in types if each in declared), None):
        return allowed
    if sure := next((each for each in types if kind != "file" or found[each] >= _SURE), None):
        return sure
    if named:
        return _checked(named, types, data)
    if _SVG_ELEMENT.search(data):
        return SVG
    return _unrecognised(data, declared)


def _found(data: bytes) -> Iterator[tuple[str, float]]:
    """Yield the media types that the bytes may have, likeliest first, with the confidence in each."""
    import puremagic  # reads a table of 150 KB

    try:
        matches = puremagic.magic_string(data) if data else []
    except puremagic.PureError:  # nothing was recognised
        return
    for match in matches:
        media_type = _canonical(match.mime_type)
        for each in (media_type, *_CONTAINERS.get(media_type, ())) if media_type else ():
            yield each, match.confidence


def _checked(media_type: str, found: Sequence[str], data: bytes) -> str:
    """Return `media_type` unless the bytes contradict it."""
    if media_type == SVG:
        contradicted = not _SVG_ELEMENT.search(data)
    else:
        # types without magic numbers, such as text/csv, cannot be contradicted
        contradicted = media_type not in found and media_type in _recognisable()
    if contradicted:
        seen = f"they look like {found[0]}" if found else "they look like no known type"
        raise MediaTypeError(f"the bytes are not {media_type}: {seen}")
    return media_type


@cache
def _by_name() -> MimeTypes:
    """Return the media types that Python knows by the ends of names, without those of the machine."""
    return MimeTypes()


@cache
def _recognisable() -> frozenset[str]:
    """Return the media types whose bytes are always recognised."""
    import puremagic  # as above

    known = {_canonical(row.mime_type) for row in puremagic.magic_header_array}
    known |= {inner for outer in known for inner in _CONTAINERS.get(outer, ())}
    return frozenset(each for each in known if each.startswith(_CHECKED)) - {SVG}


def _unrecognised(data: bytes, declared: Collection[str]) -> str:
    concrete = [each for each in declared if not each.endswith("*") and each not in _recognisable()]
    if len(concrete) == 1 and len(declared) == 1:
        return concrete[0]
    try:
        data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain"


def _canonical(media_type: str) -> str:
    """Return a media type in small letters, without parameters, by its usual name."""
    plain = media_type.partition(";")[0].strip().lower()
    return _ALIASES.get(plain, plain)


def is_text(media_type: str) -> bool:
    """True for media types whose data is text."""
    return (
        media_type.startswith("text/")
        or media_type.endswith(("+json", "+xml", "+yaml"))
        or media_type in ("application/json", "application/xml", "application/yaml", "application/javascript")
    )
