"""What a schema refers to, and what it offers to references from inside: its `$id`s and anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from toolgen.data.source import Path
from toolgen.schema.document import has_schema_at, parse_pointer, subschemas

_REFERENCES = ("$ref", "$dynamicRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
_NAMING = frozenset((*_REFERENCES, *_ANCHORS, "$id"))


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one schema, all paths from its root."""

    bases: Mapping[Path, str]  # of every schema that has an `$id`: its address, as far as one is known
    id_paths: frozenset[Path]  # of those below the root
    anchors: Mapping[str, Path]
    addresses: frozenset[str]

    def inside_id(self, here: Path) -> bool:
        """Whether `#` means, at `here`, something else than the root."""
        return bool(self.id_paths) and any(
            here[:length] in self.id_paths for length in range(1, len(here) + 1)
        )

    def knows(self, here: Path, ref: str) -> bool:
        """Whether `ref`, written at `here`, names a schema inside by its `$id`; the validator decides."""
        return _joined(_base(self.bases, here), ref).partition("#")[0] in self.addresses

    def binds(self, schema: Any, here: Path, fragment: str) -> bool:
        """Whether `#fragment`, written at `here` of `schema`, leads somewhere."""
        if self.inside_id(here):
            return True  # relative to that `$id`: the validator says whether it is bound
        if not fragment or fragment.startswith("/"):
            return has_schema_at(schema, parse_pointer(fragment))
        return fragment in self.anchors


def collect(schema: Any) -> tuple[list[tuple[Path, str, str]], Scope]:
    """Every reference in `schema` as (path of its schema, keyword, text), and the scope of all of them."""
    found: list[tuple[Path, str, str]] = []
    ids: dict[Path, str] = {}
    anchors: dict[str, Path] = {}
    for here, node in subschemas(schema):
        if _NAMING.isdisjoint(node):
            continue
        found.extend(
            (here, keyword, node[keyword]) for keyword in _REFERENCES if isinstance(node.get(keyword), str)
        )
        name = node.get("$id")
        if isinstance(name, str):
            if name.startswith("#"):
                anchors[name[1:]] = here  # draft-07's anchors
            else:
                ids[here] = name.rstrip("#")
        for keyword in _ANCHORS:
            if isinstance(node.get(keyword), str):
                anchors[node[keyword]] = here
    bases = _addresses(ids)
    below = frozenset(here for here in ids if here)
    return found, Scope(bases, below, anchors, frozenset(bases.values()))


def _addresses(ids: Mapping[Path, str]) -> dict[Path, str]:
    """Each `$id` as an address: relative to that of the nearest schema around it."""
    bases: dict[Path, str] = {}
    for here in sorted(ids, key=len):
        bases[here] = _joined(_base(bases, here), ids[here])
    return bases


def _base(bases: Mapping[Path, str], here: Path) -> str:
    """The address that what is written at `here` is relative to; empty where nothing says one."""
    depths = range(len(here), -1, -1)
    return next((bases[here[:depth]] for depth in depths if here[:depth] in bases), "")


def _joined(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref)
    except ValueError:  # no address at all, as the validator will say
        return ref
