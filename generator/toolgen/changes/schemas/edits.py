"""The edits between two schemas, found by structure: what was added, removed or changed, and where."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from toolgen.changes.edit_space import EDITS, OTHER_KEYWORD, Edit, ValueKind, value_kinds
from toolgen.changes.schemas.document import Document, Held, View, is_true
from toolgen.schema.document import JsonPath, as_list, same_value, value_key
from toolgen.schema.keywords import KEYWORDS


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


class Absent(enum.Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Stands for the value of a keyword, or of an entry, that is not there."""


@dataclass(frozen=True, slots=True)
class SchemaEdit:
    """One edit of one keyword."""

    keyword: str
    edit: Edit
    at: JsonPath  # of the keyword or its entry, as if references were replaced by what they refer to
    old: JsonPath  # of the subschema that has the keyword, or would have it, in the old document
    new: JsonPath
    before: Any = ABSENT  # of the keyword or its entry
    after: Any = ABSENT
    entry: JsonPath = ()  # below the keyword: the property, the position, the name

    @property
    def cell_keyword(self) -> str:
        """Return the keyword as the edit space names it."""
        return self.keyword if self.keyword in KEYWORDS else OTHER_KEYWORD


def find_edits(old: Document, new: Document) -> tuple[SchemaEdit, ...]:
    """Return the edits that lead from one schema to the other, from the outside to the inside.

    The order of keys does not matter, nor do the names of definitions, nor whether a part is written in place
    or behind a `$ref`. Each pair of subschemas is compared once, however many references lead to it.
    """
    return tuple(_Differ(old, new).run())


@dataclass(frozen=True, slots=True)
class _SubschemaPair:
    """Two subschemas that describe the same part of a value."""

    old: Held
    new: Held
    at: JsonPath


@dataclass(frozen=True, slots=True)
class _Both:
    """A keyword that both subschemas of a pair may have."""

    keyword: str
    old: View
    new: View
    at: JsonPath  # of the subschemas

    @property
    def before(self) -> Any:
        found = self.old.keywords.get(self.keyword)
        return ABSENT if found is None else found.value

    @property
    def after(self) -> Any:
        found = self.new.keywords.get(self.keyword)
        return ABSENT if found is None else found.value

    def edit(
        self, edit: Edit, entry: JsonPath = (), *, before: Any = ABSENT, after: Any = ABSENT
    ) -> SchemaEdit:
        """Return an edit of the keyword, or of one entry of it."""
        return SchemaEdit(
            keyword=self.keyword,
            edit=edit,
            at=(*self.at, self.keyword, *entry),
            old=self.old.holder(self.keyword),
            new=self.new.holder(self.keyword),
            before=before,
            after=after,
            entry=entry,
        )

    def whole(self, edit: Edit) -> SchemaEdit:
        """Return an edit of the whole value."""
        return self.edit(edit, before=self.before, after=self.after)

    def child(self, old_entry: JsonPath, new_entry: JsonPath) -> _SubschemaPair:
        """Return the subschemas at an entry of the keyword on both sides."""
        before, after = self.before, self.after
        for step in old_entry:
            before = before[step]
        for step in new_entry:
            after = after[step]
        return _SubschemaPair(
            Held(before, (*self.old.holder(self.keyword), self.keyword, *old_entry)),
            Held(after, (*self.new.holder(self.keyword), self.keyword, *new_entry)),
            (*self.at, self.keyword, *new_entry),
        )


class _Differ:
    """Compares pairs of subschemas until none is left. Nothing here recurses."""

    def __init__(self, old: Document, new: Document) -> None:
        self._old, self._new = old, new
        self._queue = deque([_SubschemaPair(Held(old.schema, ()), Held(new.schema, ()), ())])
        self._seen: set[tuple[JsonPath, JsonPath]] = set()
        self._ends: set[tuple[JsonPath, JsonPath]] = set()  # of references on both sides
        self._found: dict[tuple[object, ...], SchemaEdit] = {}

    def run(self) -> Iterator[SchemaEdit]:
        """Yield each edit once."""
        while self._queue:
            pair = self._queue.popleft()
            if (pair.old.holder, pair.new.holder) in self._seen:
                continue
            self._seen.add((pair.old.holder, pair.new.holder))
            for edit in self._compare(pair):
                key = (edit.keyword, edit.edit, edit.old, edit.new, edit.entry)
                if key not in self._found:
                    self._found[key] = edit
                    yield edit

    def _compare(self, pair: _SubschemaPair) -> Iterator[SchemaEdit]:
        if not (isinstance(pair.old.value, dict) and isinstance(pair.new.value, dict)):
            return
        # A reference with assertions beside it is compared as it is written: both apply at once.
        follow = not (
            "$ref" in pair.old.value
            and "$ref" in pair.new.value
            and (self._old.has_siblings(pair.old.value) or self._new.has_siblings(pair.new.value))
        )
        old = self._old.view(pair.old.holder, pair.old.value, follow=follow)
        new = self._new.view(pair.new.holder, pair.new.value, follow=follow)
        is_known = (old.home, new.home) in self._ends
        self._ends.add((old.home, new.home))
        for keyword in dict.fromkeys((*old.keywords, *new.keywords)):
            if is_known and (old.holder(keyword), new.holder(keyword)) == (old.home, new.home):
                continue  # another reference led there
            if keyword not in _CONTAINERS:
                yield from self._compare_keyword(_Both(keyword, old, new, pair.at))

    def _compare_keyword(self, both: _Both) -> Iterator[SchemaEdit]:
        kinds = value_kinds(both.keyword) if both.keyword in KEYWORDS else (ValueKind.VALUE,)
        if len(kinds) == 1:
            yield from self._compare_values(both, kinds[0])
        elif both.keyword == "dependencies":
            yield from self._dependencies(both)
        else:
            yield from self._items(both)

    def _items(self, both: _Both) -> Iterator[SchemaEdit]:
        """Compare `items`: one schema, or in draft-07 a list."""
        forms = {isinstance(each, list) for each in (both.before, both.after) if each is not ABSENT}
        if len(forms) > 1:
            yield both.whole(Edit.CHANGED)
        else:
            kind = ValueKind.SCHEMA_LIST if True in forms else ValueKind.SCHEMA
            yield from self._compare_values(both, kind)

    def _compare_values(self, both: _Both, kind: ValueKind) -> Iterator[SchemaEdit]:
        # A schema that is left out may mean `true`; a flag, false; a list of names, none.
        can_be_added = kind is not ValueKind.SCHEMA and Edit.ADDED in EDITS[kind]
        if can_be_added and (both.before is ABSENT or both.after is ABSENT):
            yield both.whole(Edit.ADDED if both.before is ABSENT else Edit.REMOVED)
        else:
            yield from _COMPARE[kind](self, both)

    # Values without schemas

    def _bound(self, both: _Both) -> Iterator[SchemaEdit]:
        if both.before != both.after:
            yield both.whole(Edit.RAISED if both.after > both.before else Edit.LOWERED)

    def _divisor(self, both: _Both) -> Iterator[SchemaEdit]:
        if both.before != both.after:
            # As they are written: 0.3 is a multiple of 0.1, although no float says so.
            old, new = Fraction(str(both.before)), Fraction(str(both.after))
            if (new / old).denominator == 1:
                yield both.whole(Edit.COARSENED)
            else:
                yield both.whole(Edit.REFINED if (old / new).denominator == 1 else Edit.CHANGED)

    def _flag(self, both: _Both) -> Iterator[SchemaEdit]:
        before, after = both.before is True, both.after is True
        if before != after:
            yield both.whole(Edit.SET if after else Edit.CLEARED)

    def _value(self, both: _Both) -> Iterator[SchemaEdit]:
        if not same_value(both.before, both.after):
            yield both.whole(Edit.CHANGED)

    def _values(self, both: _Both) -> Iterator[SchemaEdit]:
        old = {value_key(value): value for value in both.before}
        new = {value_key(value): value for value in both.after}
        if removed := [value for key, value in old.items() if key not in new]:
            yield both.edit(Edit.VALUE_REMOVED, before=removed)
        if added := [value for key, value in new.items() if key not in old]:
            yield both.edit(Edit.VALUE_ADDED, after=added)
        if [key for key in old if key in new] != [key for key in new if key in old]:
            yield both.edit(Edit.REORDERED)

    def _types(self, both: _Both) -> Iterator[SchemaEdit]:
        before, after = _names(both.before), _names(both.after)
        if before == after:
            return
        # Every integer is a number (2020-12 validation, section 6.1.1).
        old, new = _with_integer(before), _with_integer(after)
        if old == new:
            yield both.edit(Edit.REORDERED)
        elif old < new:
            yield both.whole(Edit.WIDENED)
        else:
            yield both.whole(Edit.NARROWED if new < old else Edit.CHANGED)

    def _required(self, both: _Both) -> Iterator[SchemaEdit]:
        """Compare `required`. A property that is both new and required is one edit, of `properties`."""
        before, after = dict.fromkeys(as_list(both.before)), dict.fromkeys(as_list(both.after))
        own = _mapping(both.old.keywords.get("properties"))
        declared = _mapping(both.new.keywords.get("properties"))
        for name in before:
            if name not in after and not (name in own and name not in declared):
                yield both.edit(Edit.NAME_REMOVED, (name,), before=name)
        for name in after:
            if name not in before and not (name in declared and name not in own):
                yield both.edit(Edit.NAME_ADDED, (name,), after=name)
        if before == after and list(before) != list(after):
            yield both.edit(Edit.REORDERED)

    def _dependencies(self, both: _Both) -> Iterator[SchemaEdit]:
        before, after = _mapping_of(both.before), _mapping_of(both.after)
        for name in dict.fromkeys((*before, *after)):
            if isinstance(before.get(name, []), list) and isinstance(after.get(name, []), list):
                yield from self._dependency(both, str(name))
            else:
                yield from self._entry(both, str(name))

    def _dependency(self, both: _Both, name: str) -> Iterator[SchemaEdit]:
        """Compare the names that one property depends on."""
        before, after = _mapping_of(both.before), _mapping_of(both.after)
        if name not in before or name not in after:
            edit = Edit.ENTRY_ADDED if name in after else Edit.ENTRY_REMOVED
            yield both.edit(edit, (name,), before=before.get(name, ABSENT), after=after.get(name, ABSENT))
            return
        own, others = dict.fromkeys(before[name]), dict.fromkeys(after[name])
        for each in own:
            if each not in others:
                yield both.edit(Edit.NAME_REMOVED, (name, each), before=each)
        for each in others:
            if each not in own:
                yield both.edit(Edit.NAME_ADDED, (name, each), after=each)

    # Values with schemas

    def _schema(self, both: _Both) -> Iterator[SchemaEdit]:
        before, after = both.before, both.after
        if both.keyword in _TRUE_IS_NONE:
            before = ABSENT if is_true(before) else before
            after = ABSENT if is_true(after) else after
        if before is ABSENT and after is ABSENT:
            return
        if isinstance(before, dict) and isinstance(after, dict) and before and after:
            self._queue.append(both.child((), ()))
        elif after is False and before is not False:
            yield both.whole(Edit.CLOSED)
        elif before is ABSENT or after is ABSENT:
            yield both.whole(Edit.ADDED if before is ABSENT else Edit.REMOVED)
        elif is_true(after) and not is_true(before):
            yield both.whole(Edit.OPENED)
        elif is_true(before) != is_true(after):
            yield both.whole(Edit.RESTRICTED)
        elif before is False and after is not False:
            yield both.whole(Edit.ALLOWED)

    def _schema_map(self, both: _Both) -> Iterator[SchemaEdit]:
        required = _newly_required(both)
        for name in dict.fromkeys((*_mapping_of(both.before), *_mapping_of(both.after))):
            yield from self._entry(both, str(name), required)

    def _entry(self, both: _Both, name: str, required: frozenset[str] = frozenset()) -> Iterator[SchemaEdit]:
        before = _mapping_of(both.before).get(name, ABSENT)
        after = _mapping_of(both.after).get(name, ABSENT)
        if isinstance(before, dict) and isinstance(after, dict):
            self._queue.append(both.child((name,), (name,)))
        elif before is ABSENT:
            edit = Edit.ENTRY_ADDED_REQUIRED if name in required else Edit.ENTRY_ADDED
            yield both.edit(edit, (name,), after=after)
        elif after is ABSENT:
            yield both.edit(Edit.ENTRY_REMOVED, (name,), before=before)
        # One of them is a boolean; `true` and `{}` are the same.
        elif before is not after and not (is_true(before) and is_true(after)):
            yield both.edit(Edit.ENTRY_CHANGED, (name,), before=before, after=after)

    def _schema_list(self, both: _Both) -> Iterator[SchemaEdit]:
        # Items of a tuple belong to their positions; branches of a union may have moved.
        by_position = both.keyword in ("prefixItems", "items")
        matching = match_branches(
            both.before, both.after, old=self._old, new=self._new, by_position=by_position
        )
        for before, after in matching.pairs:
            pair = both.child((before,), (after,))
            if isinstance(pair.old.value, dict) and isinstance(pair.new.value, dict):
                self._queue.append(pair)
            elif pair.old.value is not pair.new.value:
                yield both.edit(Edit.ENTRY_CHANGED, (after,), before=pair.old.value, after=pair.new.value)
        for position in matching.removed:
            yield both.edit(Edit.ENTRY_REMOVED, (position,), before=both.before[position])
        for position in matching.added:
            yield both.edit(Edit.ENTRY_ADDED, (position,), after=both.after[position])
        if matching.is_reordered:
            yield both.edit(Edit.REORDERED)

    def _reference(self, both: _Both) -> Iterator[SchemaEdit]:
        """Compare references that could not be followed, or that have siblings."""
        old, new = self._old.resolve(both.before), self._new.resolve(both.after)
        if both.keyword == "$ref" and old is not None and new is not None:
            self._queue.append(_SubschemaPair(Held(old.value, old.path), Held(new.value, new.path), both.at))
        elif both.before != both.after:
            yield both.whole(Edit.REDIRECTED)


_CONTAINERS: Final = frozenset({"$defs", "definitions"})
"""Their schemas are compared where a reference leads to them."""

_TRUE_IS_NONE: Final = frozenset(
    {"additionalProperties", "additionalItems", "items", "propertyNames", "unevaluatedItems"}
    | {"unevaluatedProperties", "contentSchema"}
)
"""Keywords for which `true` means the same as no value."""

_COMPARE: Final[Mapping[ValueKind, Callable[[_Differ, _Both], Iterator[SchemaEdit]]]] = {
    ValueKind.BOUND: _Differ._bound,
    ValueKind.DIVISOR: _Differ._divisor,
    ValueKind.FLAG: _Differ._flag,
    ValueKind.TEXT: _Differ._value,
    ValueKind.VALUE: _Differ._value,
    ValueKind.VALUES: _Differ._values,
    ValueKind.TYPES: _Differ._types,
    ValueKind.NAMES: _Differ._required,
    ValueKind.NAME_LISTS: _Differ._dependencies,
    ValueKind.SCHEMA: _Differ._schema,
    ValueKind.SCHEMA_LIST: _Differ._schema_list,
    ValueKind.SCHEMA_MAP: _Differ._schema_map,
    ValueKind.PROPERTIES: _Differ._schema_map,
    ValueKind.REFERENCE: _Differ._reference,
}


def _newly_required(both: _Both) -> frozenset[str]:
    """Return the names in `required` of the new version alone, if the keyword has its properties."""
    if both.keyword != "properties":
        return frozenset()
    before, after = both.old.keywords.get("required"), both.new.keywords.get("required")
    return frozenset(as_list(after and after.value)) - frozenset(as_list(before and before.value))


def _names(types: Any) -> list[str]:
    return types if isinstance(types, list) else [types]


def _with_integer(types: list[str]) -> set[str]:
    return {*types, "integer"} if "number" in types else set(types)


def _mapping_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mapping(held: Held | None) -> Mapping[str, Any]:
    return {} if held is None else _mapping_of(held.value)
