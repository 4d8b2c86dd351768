"""Match the branches of two unions, so that an edit inside a branch is not a removed and an added one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgen.changes.schemas.document import Document
from toolgen.schema.document import value_key


@dataclass(slots=True)
class MatchedBranches:
    """Positions of branches that belong together, and of those without a counterpart."""

    pairs: list[tuple[int, int]] = field(default_factory=list)  # old, new; sorted
    removed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    @property
    def is_reordered(self) -> bool:
        """True if branches that belong together are in another order."""
        positions = [new for _, new in self.pairs]
        return positions != sorted(positions)


def match_branches(
    before: Sequence[Any], after: Sequence[Any], *, old: Document, new: Document, by_position: bool
) -> MatchedBranches:
    """Match branches by equality, tag, title, definition, type, and by order if they have none of these.

    With `by_position`, as for `prefixItems`, the position alone counts.
    """
    both = min(len(before), len(after))
    if by_position:
        pairs = [(position, position) for position in range(both)]
        return MatchedBranches(pairs, [*range(both, len(before))], [*range(both, len(after))])
    left, right = dict(enumerate(before)), dict(enumerate(after))
    found = MatchedBranches()
    # The surest sign first, as each pair is matched once.
    for key in (_content, _tags, _title, _definition, _types, _untyped):
        for pair in _match(left, right, key, old, new):
            found.pairs.append(pair)
            del left[pair[0]], right[pair[1]]
    found.pairs.sort()
    found.removed, found.added = list(left), list(right)
    return found


_Key = Callable[[Document, Any], Hashable]


def _match(
    left: dict[int, Any], right: dict[int, Any], key: _Key, old: Document, new: Document
) -> list[tuple[int, int]]:
    """Return the pairs whose branches have the same key, in order; branches without a key have no pair."""
    wanted: dict[Hashable, list[int]] = {}
    for position, branch in right.items():
        if (found := key(new, branch)) is not None:
            wanted.setdefault(found, []).append(position)
    pairs = []
    for position, branch in left.items():
        candidates = wanted.get(key(old, branch))
        if candidates:
            pairs.append((position, candidates.pop(0)))
    return pairs


def _content(document: Document, branch: Any) -> Hashable:
    return value_key(branch)


def _tags(document: Document, branch: Any) -> Hashable:
    """Return the properties that have one possible value: `kind: {const: circle}`."""
    properties = _keyword(document, branch, "properties")
    if not isinstance(properties, dict):
        return None
    tags = set()
    for name, schema in properties.items():
        value = _keyword(document, schema, "const")
        values = _keyword(document, schema, "enum")
        if value is not None:
            tags.add((name, value_key(value)))
        elif isinstance(values, list) and len(values) == 1:
            tags.add((name, value_key(values[0])))
    return frozenset(tags) or None


def _title(document: Document, branch: Any) -> Hashable:
    title = _keyword(document, branch, "title")
    return title if isinstance(title, str) else None


def _definition(document: Document, branch: Any) -> Hashable:
    return branch.get("$ref") if isinstance(branch, dict) else None


def _types(document: Document, branch: Any) -> Hashable:
    types = _keyword(document, branch, "type")
    return value_key(types) if types is not None else None


def _untyped(document: Document, branch: Any) -> Hashable:
    return True if isinstance(branch, dict) and _types(document, branch) is None else None


def _keyword(document: Document, schema: Any, keyword: str) -> Any:
    """Return the value of a keyword of `schema`, or behind its reference."""
    if not isinstance(schema, dict):
        return None
    held = document.view((), schema).keywords.get(keyword)
    return None if held is None else held.value
