"""Find the tools that have another name in the new version.

A tool that lists the former name in `aliases` is the renamed one. Otherwise a tool is the one that is gone if
their schemas are equal and, where these say little, their descriptions are similar.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from toolgen.changes.contract import REQUEST, Contract
from toolgen.schema.document import subschemas

_FEW_PROPERTIES: Final = 2  # many tools have the same schema of fewer, {query: string} for one
_SIMILAR: Final = 0.6  # of descriptions, if the schemas say little; 1: equal
_MAX_COMPARED: Final = 500  # characters of a text
_MAX_PAIRS: Final = 1_000  # of tools with equal schemas; more are not told apart
_TEXTS: Final = frozenset(("description", "title", "examples", "$comment"))


def find_renames(old: Mapping[str, Contract], new: Mapping[str, Contract]) -> dict[str, str]:
    """Return former name → name, for tools of `old` that `new` has under another name only."""
    aliases = {alias: name for name, each in new.items() for alias in each.spec.aliases}
    renames = {name: aliases[name] for name in old if name not in new and name in aliases}
    removed = [each for name, each in old.items() if name not in new and name not in renames]
    added = [each for name, each in new.items() if name not in old and name not in renames.values()]
    return {**renames, **_by_schemas(removed, added)}


@dataclass(frozen=True, slots=True)
class _Likeness:
    """How much alike two tools with equal schemas are."""

    description: float
    name: float
    old: str
    new: str


def _most_alike_first(pair: _Likeness) -> tuple[float, float, str, str]:
    return -pair.description, -pair.name, pair.old, pair.new


def _by_schemas(removed: Iterable[Contract], added: Iterable[Contract]) -> dict[str, str]:
    """Return the renames among tools with equal schemas, the most alike first."""
    candidates: dict[str, list[Contract]] = {}
    for each in added:
        candidates.setdefault(_fingerprint(each), []).append(each)
    groups: dict[str, list[Contract]] = {}
    for each in removed:
        groups.setdefault(_fingerprint(each), []).append(each)
    found: dict[str, str] = {}
    for fingerprint, group in sorted(groups.items()):
        others = candidates.get(fingerprint, [])
        # Many tools with the same schema cannot be told apart, and comparing all pairs would take long.
        if not others or len(group) * len(others) > _MAX_PAIRS:
            continue
        likenesses = [_likeness(one, other) for one in group for other in others]
        says_little = _number_of_properties(group[0]) < _FEW_PROPERTIES
        for pair in sorted(likenesses, key=_most_alike_first):
            is_taken = pair.old in found or pair.new in found.values()
            if not is_taken and (pair.description >= _SIMILAR or not says_little):
                found[pair.old] = pair.new
    return found


def _fingerprint(contract: Contract) -> str:
    """Return the schemas of a tool, without their texts, as a text that is equal for equal ones."""
    schemas = {name: deepcopy(each.schema) for name, each in contract.documents.items()}
    for schema in schemas.values():
        for _, node in subschemas(schema):
            for text in _TEXTS & node.keys():
                del node[text]  # type: ignore[attr-defined]  # the copy is a dict
    return json.dumps(schemas, sort_keys=True)


def _number_of_properties(contract: Contract) -> int:
    request = contract.documents.get(REQUEST)
    properties = request.schema.get("properties") if request else None
    return len(properties) if isinstance(properties, Mapping) else 0


def _likeness(old: Contract, new: Contract) -> _Likeness:
    return _Likeness(
        _ratio(old.spec.description, new.spec.description), _ratio(old.name, new.name), old.name, new.name
    )


def _ratio(one: str, other: str) -> float:
    # Ratcliff and Metzener, "Pattern Matching: The Gestalt Approach", Dr. Dobb's Journal 13(7), 1988.
    if one == other:
        return 1.0
    return SequenceMatcher(None, one[:_MAX_COMPARED], other[:_MAX_COMPARED], autojunk=False).ratio()
