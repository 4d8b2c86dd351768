"""Check the field `content`: every entry can be satisfied, and every block belongs to one entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgen.data.diagnostic import Diagnostic, Note
from toolgen.data.source import Source
from toolgen.data.spec import ContentSpec, Spec
from toolgen.schema.document import JsonPath

_TREES = {"image": "image", "audio": "audio", "text": "text"}  # kinds whose media types begin with a word


def check_content(spec: Spec, source: Source) -> Iterator[Diagnostic]:
    """Yield a fault for each entry that contradicts itself, or that takes what an earlier one takes."""
    if isinstance(spec.content, str):
        return
    for index, entry in enumerate(spec.content):
        path: JsonPath = ("content", index)
        yield from _foreign_types(entry, source, path)
        if entry.max is not None and entry.min > entry.max:
            message = f"at least {entry.min} and at most {entry.max} blocks: no result can have that"
            hint = "let `max` be as large as `min`, or larger"
            yield Diagnostic(source.value((*path, "min")), "bad-content", message, hint)
        if entry.type == "link" and entry.max_bytes is not None:
            message = "a link holds no data, so that `max_bytes` limits nothing"
            where = source.key((*path, "max_bytes"))
            yield Diagnostic(where, "bad-content", message, "remove it")
        yield from _taken(spec.content, index, source)


def _foreign_types(entry: ContentSpec, source: Source, path: JsonPath) -> Iterator[Diagnostic]:
    tree = _TREES.get(entry.type)
    for number, media_type in enumerate(entry.media_types):
        if tree is not None and not media_type.startswith(f"{tree}/"):
            message = f"{media_type!r} is not the media type of {entry.type} blocks"
            hint = f"write {tree}/…, or `type: {_kind_of(media_type)}`"
            yield Diagnostic(source.value((*path, "media_types", number)), "bad-content", message, hint)


def _kind_of(media_type: str) -> str:
    tree = media_type.partition("/")[0]
    return tree if tree in ("image", "audio") else "file"


def _taken(entries: Sequence[ContentSpec], index: int, source: Source) -> Iterator[Diagnostic]:
    """Yield a fault if no block is left for an entry, because earlier entries take all of them."""
    entry = entries[index]
    for earlier in range(index):
        other = entries[earlier]
        if other.type == entry.type and all(_takes(other, each) for each in entry.media_types or [""]):
            note = Note(source.value(("content", earlier)), "the first entry that takes them")
            message = f"blocks of type {entry.type} with these media types belong to an earlier entry"
            hint = "remove one of the two, or give each its own `media_types`"
            yield Diagnostic(source.value(("content", index)), "bad-content", message, hint, (note,))
            return


def _takes(entry: ContentSpec, media_type: str) -> bool:
    """True if an entry is for blocks of a media type; the empty one stands for every media type."""
    if not entry.media_types:
        return True
    tree = media_type.partition("/")[0]
    return bool(media_type) and (media_type in entry.media_types or f"{tree}/*" in entry.media_types)
