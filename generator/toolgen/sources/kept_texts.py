"""Texts that a person has improved in an imported spec: a sync keeps them.

The header of a spec has a digest of the texts of each field, as the source had them. If the field's texts are
others now, a person wrote them, as where the header has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from toolgen.schema.document import JsonPath, subschemas

_TEXTS: Final = ("title", "description", "returns")
_WITH_TEXTS: Final = ("input_schema", "output_schema", "errors", "$defs")
_KEYWORDS: Final = ("title", "description", "hint")
_LINE: Final = re.compile(r"^# Texts as imported: (.*)\n", re.MULTILINE)
_ORIGIN: Final = re.compile(r"^# Imported by `toolgen import .*\n", re.MULTILINE)
_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class MergedTexts:
    """Fields of the source with texts of a spec."""

    fields: Mapping[str, Any]
    conflicts: tuple[str, ...]  # the fields whose texts were changed on both sides


def text_record(fields: Mapping[str, Any]) -> str:
    """Return the line of a header that says which texts the source had."""
    found = ", ".join(f"{name} {digest}" for name, digest in _digests(fields).items())
    return f"# Texts as imported: {found}\n" if found else ""


def with_text_record(text: str, fields: Mapping[str, Any]) -> str:
    """Return the text of an imported spec with the record of `fields` in place of the earlier one, if any."""
    text = _LINE.sub("", text, count=1)
    return _ORIGIN.sub(lambda found: found[0] + text_record(fields), text, count=1)


def merge_texts(text: str, current: Mapping[str, Any], new: Mapping[str, Any]) -> MergedTexts:
    """Return `new` fields of a source with the texts in which `current` was improved by hand.

    `text` is that of the spec.
    """
    header = _LINE.search(text)
    known = dict(each.split(" ", 1) for each in header[1].split(", ") if " " in each) if header else {}
    ours, theirs = _digests(current), _digests(new)
    fields, kept = dict(new), []
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] in (known.get(name), theirs[name]):
            continue
        fields[name] = _merged(name, current[name], new[name])
        kept += [name] if theirs[name] != known.get(name) else []
    return MergedTexts(fields, tuple(kept))


def _merged(name: str, current: Any, new: Any) -> Any:
    """Return a field of the source with the texts that the spec has in the same places."""
    if name in _TEXTS:
        return current
    made = json.loads(json.dumps(new))
    written: dict[JsonPath, dict[str, str]] = {}
    for path, keyword, text in _texts(name, current):
        written.setdefault(path, {})[keyword] = text
    for path, node in _nodes(name, made):
        node.update(written.get(path, {}))
    return made


def _digests(fields: Mapping[str, Any]) -> dict[str, str]:
    texts = {name: fields[name] for name in _TEXTS if isinstance(fields.get(name), str)}
    texts |= {
        name: sorted(
            (list(map(str, path)), keyword, text) for path, keyword, text in _texts(name, fields[name])
        )
        for name in _WITH_TEXTS
        if isinstance(fields.get(name), Mapping | list)
    }
    return {name: sha256(json.dumps(text).encode()).hexdigest()[:_DIGITS] for name, text in texts.items()}


def _texts(name: str, value: Any) -> Iterator[tuple[JsonPath, str, str]]:
    for path, node in _nodes(name, value):
        for keyword in _KEYWORDS:
            if isinstance(node.get(keyword), str):
                yield path, keyword, node[keyword]


def _nodes(name: str, value: Any) -> Iterable[tuple[JsonPath, Any]]:
    """Return the parts of a field that have texts, with what identifies each."""
    if name == "errors":
        return [((str(each.get("code")),), each) for each in value if isinstance(each, dict)]
    return subschemas({"$defs": value} if name == "$defs" else value)
