"""What a schema refers to, and what it offers to references from inside: its `$id`s and anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.data.source import Path
from toolgen.linking.references import exists, parts_of
from toolgen.schema.walk import subschemas

_REFERENCES = ("$ref", "$dynamicRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
_NAMING = frozenset((*_REFERENCES, *_ANCHORS, "$id"))


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one schema, all paths from its root."""

    ids: frozenset[str]
    id_paths: tuple[Path, ...]  # of schemas below the root that have an `$id`
    anchors: Mapping[str, Path]

    def inside_id(self, here: Path) -> bool:
        """Whether `#` means, at `here`, something else than the root."""
        return any(here[: len(path)] == path for path in self.id_paths)

    def knows(self, ref: str) -> bool:
        """Whether `ref` names a schema inside by its `$id`; the validator has the last word."""
        address = ref.partition("#")[0]
        return any(address == known or known.endswith("/" + address) for known in self.ids)

    def binds(self, schema: Any, here: Path, fragment: str) -> bool:
        """Whether `#fragment`, written at `here` of `schema`, leads somewhere."""
        if self.inside_id(here):
            return True  # relative to that `$id`: the validator says whether it is bound
        if not fragment or fragment.startswith("/"):
            return exists(schema, parts_of(fragment))
        return fragment in self.anchors


def collect(schema: Any) -> tuple[list[tuple[Path, str, str]], Scope]:
    """Every reference in `schema` as (path of its schema, keyword, text), and the scope of all of them."""
    found: list[tuple[Path, str, str]] = []
    ids: set[str] = set()
    id_paths: list[Path] = []
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
                ids.add(name.rstrip("#"))
                if here:
                    id_paths.append(here)
        for keyword in _ANCHORS:
            if isinstance(node.get(keyword), str):
                anchors[node[keyword]] = here
    return found, Scope(frozenset(ids), tuple(id_paths), anchors)
