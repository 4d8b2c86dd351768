"""Find the content of results that the messages of a provider's API do not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.spec import ContentSpec
from toolgen.data.target import Target
from toolgen.runtime.content.carried import APIS, CarriedContent
from toolgen.schema.document import JsonPath

_RANGES: Final = {"*/*": "files", "audio/*": "audio", "image/*": "images", "video/*": "videos"}  # in words
_HINT: Final = "docs/results.md lists what each provider takes"


def content_losses(tool: ProgramTool, targets: Sequence[Target]) -> Iterator[Diagnostic]:
    """Yield a warning for each media type in `content` that only arrives as a line of text.

    `content: any` declares nothing that could be lost.
    """
    if isinstance(tool.spec.content, str):
        return
    for index, entry in enumerate(tool.spec.content):
        losers: dict[_Lost, list[str]] = {}  # loss → the targets that share it
        for target in targets:
            apis = APIS.get(target.dialect or "", ())
            for api in apis:
                name = target.name if len(apis) == 1 else f"{target.name} ({api.api})"
                for lost in _lost(entry, api):
                    losers.setdefault(lost, []).append(name)
        for lost, names in losers.items():
            loss = f"results hold {lost.subject}; a line of text describes what is missing"
            where: JsonPath = ("content", index, *lost.path)
            yield Diagnostic(tool.source.value(where), "dialect-loss", f"{', '.join(names)}: {loss}", _HINT)


@dataclass(frozen=True, slots=True)
class _Lost:
    """Media types that an API does not take."""

    path: JsonPath  # from the entry
    subject: str


def _lost(entry: ContentSpec, api: CarriedContent) -> Iterator[_Lost]:
    if entry.type in ("text", "link"):
        return
    if not entry.media_types:
        media_types = "*/*" if entry.type == "file" else f"{entry.type}/*"
        if subject := _subject(entry.type, media_types, api):
            yield _Lost(("type",), subject)
    for number, media_type in enumerate(entry.media_types):
        if subject := _subject(entry.type, media_type, api):
            yield _Lost(("media_types", number), subject)


def _subject(kind: str, media_type: str, api: CarriedContent) -> str | None:
    """Return what an API takes of a media type or of a range of them: nothing, or some; None if all."""
    tree, _, subtype = media_type.partition("/")
    if subtype != "*":
        return None if api.carries(kind, media_type) else f"no {media_type}"
    if tree == "text":
        return None
    some = any(tree in ("*", each.partition("/")[0]) for each in api.formats(kind))
    return f"{'only some' if some else 'no'} {_RANGES.get(media_type, media_type)}"
