"""Small real files of many media types (`samples.toml`), links and texts for the results of mocks."""

from __future__ import annotations

import tomllib
from base64 import b64decode
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final, NamedTuple

from toolgen.runtime.content.values import Audio, Content, File, Image, Link, Text
from toolgen.runtime.definition.tool_definition import ContentDefinition

_NOTE: Final = "Made up by a mock."
_CLASSES: Final[Mapping[str, Callable[..., Content]]] = {"image": Image, "audio": Audio, "file": File}


class _Sample(NamedTuple):
    extension: str  # of the name of a file
    data: bytes


def _samples() -> Mapping[str, _Sample]:
    table = tomllib.loads(files("toolgen.testing.mock").joinpath("samples.toml").read_text("utf-8"))
    return {
        media_type: _Sample(each["extension"], each.get("text", "").encode() or b64decode(each["base64"]))
        for media_type, each in table.items()
    }


SAMPLES: Final = _samples()
"""Media type → sample, the usual ones of each kind first."""


def sample_content(rule: ContentDefinition, tool_name: str) -> Content | None:
    """Return content that satisfies an entry of `content` in a spec; None if there is no such sample."""
    types, limit = rule.get("media_types", ()), rule.get("max_bytes")
    kind = rule["type"]
    if kind in ("link", "text"):
        media_type = next((each for each in types if not each.endswith("*")), None)
        if kind == "link":
            return Link(f"https://example.com/mock/{tool_name}", media_type=media_type, description=_NOTE)
        sample = SAMPLES.get(media_type or "text/plain")
        text = sample.data.decode() if sample is not None else _NOTE
        return Text(text[:limit], media_type=media_type or "text/plain")
    for media_type in _candidates(kind, types):
        sample = SAMPLES[media_type]
        if limit is None or len(sample.data) <= limit:
            return _CLASSES[kind](sample.data, media_type=media_type, name=f"mock.{sample.extension}")
    return None


def _candidates(kind: str, types: Any) -> list[str]:
    """Return the media types of samples that a rule allows, the usual one of its kind first."""
    known = list(SAMPLES)
    if kind in ("image", "audio"):
        known = [each for each in known if each.startswith(f"{kind}/")]
    elif not types:
        known = ["application/pdf", *known]
    if not types:
        return known
    return [each for each in known if each in types or f"{each.partition('/')[0]}/*" in types]
