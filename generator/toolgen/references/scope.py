"""The references of a schema, and the names that it offers to them: `$id`s and anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urljoin

from toolgen.schema.document import JsonPath, anchor_names, has_schema_at, parse_pointer, subschemas
from toolgen.schema.keywords import REFERENCES

_RELEVANT = frozenset((*REFERENCES, "$anchor", "$dynamicAnchor", "$id"))


class Reference(NamedTuple):
    """One reference, as it is written."""

    path: JsonPath  # of the subschema that has it
    keyword: str
    text: str


@dataclass(frozen=True, slots=True)
class ReferenceScope:
    """The references and names of one schema. All paths are from its root."""

    references: tuple[Reference, ...]
    bases: Mapping[JsonPath, str]  # of every schema with an `$id`: its absolute URI, if one is known
    id_paths: frozenset[JsonPath]  # of those below the root
    anchors: Mapping[str, JsonPath]
    uris: frozenset[str]

    def is_inside_id(self, here: JsonPath) -> bool:
        """True if `#`, written at `here`, does not mean the root."""
        return bool(self.id_paths) and any(
            here[:length] in self.id_paths for length in range(1, len(here) + 1)
        )

    def knows(self, here: JsonPath, ref: str) -> bool:
        """True if `ref`, written at `here`, names a schema inside by its `$id`; the validator resolves it."""
        return _join(_base(self.bases, here), ref).partition("#")[0] in self.uris

    def resolves(self, schema: Any, here: JsonPath, fragment: str) -> bool:
        """True if `#fragment`, written at `here` of `schema`, names a schema."""
        if self.is_inside_id(here):
            return True  # relative to that `$id`: left to the validator
        if not fragment or fragment.startswith("/"):
            return has_schema_at(schema, parse_pointer(fragment))
        return fragment in self.anchors


def scope_of(schema: Any) -> ReferenceScope:
    """Return the references and names of `schema`."""
    references: list[Reference] = []
    ids: dict[JsonPath, str] = {}
    anchors: dict[str, JsonPath] = {}
    for here, node in subschemas(schema):
        if _RELEVANT.isdisjoint(node):
            continue
        references.extend(
            Reference(here, keyword, node[keyword])
            for keyword in REFERENCES
            if isinstance(node.get(keyword), str)
        )
        if isinstance(uri := node.get("$id"), str) and not uri.startswith("#"):
            ids[here] = uri.rstrip("#")
        for name in anchor_names(node):
            anchors[name] = here
    bases = _absolute(ids)
    below_root = frozenset(here for here in ids if here)
    return ReferenceScope(tuple(references), bases, below_root, anchors, frozenset(bases.values()))


def _absolute(ids: Mapping[JsonPath, str]) -> dict[JsonPath, str]:
    """Resolve each `$id` against that of the nearest schema around it."""
    bases: dict[JsonPath, str] = {}
    for here in sorted(ids, key=len):
        bases[here] = _join(_base(bases, here), ids[here])
    return bases


def _base(bases: Mapping[JsonPath, str], here: JsonPath) -> str:
    """Return the base URI at `here`; empty if there is none."""
    depths = range(len(here), -1, -1)
    return next((bases[here[:depth]] for depth in depths if here[:depth] in bases), "")


def _join(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref)
    except ValueError:  # not a URI, as the validator will report
        return ref
