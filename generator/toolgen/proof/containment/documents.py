"""The subschemas of two documents: keywords in one form for both drafts, equal subschemas in one class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.proof.containment.formulas import Place, Side
from toolgen.schema.budget import TooComplexError, check_budget
from toolgen.schema.document import (
    ASSERTED,
    Draft,
    JsonPath,
    Located,
    Schema,
    SchemaDocument,
    draft_of,
    is_deeper,
    value_key,
)
from toolgen.schema.graph import Graph, Node
from toolgen.schema.keywords import MIXED, REFERENCES, SCHEMA_LISTS, SCHEMA_MAPS, SINGLE_SCHEMA
from toolgen.schema.validator import compiled

ACCEPTS_ALL: Final = -1
ACCEPTS_NOTHING: Final = -2
"""The boolean schemas, where another subschema has its index."""

CONTENT: Final = ("contentEncoding", "contentMediaType")


class UnreadableError(ValueError):
    """A document that is not compared; `reason` and `place` say why."""

    def __init__(self, reason: str, place: Place) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


@dataclass(slots=True)
class ReadSubschema:
    """One subschema. Where keywords hold schemas, `keywords` has their indices."""

    place: Place
    draft: Draft
    keywords: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None  # why it is not analysed

    def children(self) -> Iterator[tuple[str, list[int]]]:
        """Yield each keyword that holds schemas, with their indices."""
        for keyword, value in self.keywords.items():
            if isinstance(value, HeldSchemas):
                yield keyword, value.schemas()


@dataclass(frozen=True, slots=True)
class HeldSchemas:
    """The value of a keyword that holds schemas, with indices in place of the schemas."""

    value: Any  # an index, a list of indices, or a mapping to indices or lists of names

    def schemas(self) -> list[int]:
        """Return the indices."""
        if isinstance(self.value, int):
            return [self.value]
        values = self.value.values() if isinstance(self.value, dict) else self.value
        return [inner for inner in values if isinstance(inner, int)]

    def shape(self) -> Any:
        """Return what remains without the indices, hashable."""
        if isinstance(self.value, int):
            return None
        if isinstance(self.value, list):
            return len(self.value)
        return tuple(
            (name, None if isinstance(inner, int) else tuple(sorted(inner)))
            for name, inner in self.value.items()
        )


class Documents:
    """The subschemas of the narrow and of the wide document. Raises `UnreadableError`."""

    def __init__(self, narrow: Schema | SchemaDocument | bool, wide: Schema | SchemaDocument | bool) -> None:
        self.subschemas: list[ReadSubschema] = []
        self.is_valid: dict[Side, Callable[[Any], bool]] = {}
        """Of each side: whether the validator accepts a value."""
        self.narrow = self._read(narrow, "narrow")
        self.wide = self._read(wide, "wide")
        self.classes = _Classes(self.subschemas).classes
        self.representatives: dict[int, ReadSubschema] = {}
        for index, subschema in enumerate(self.subschemas):
            self.representatives.setdefault(self.classes[index], subschema)

    def has_equal_roots(self) -> bool:
        """True if the two documents accept the same values for the same reasons."""
        if self.narrow < 0 or self.wide < 0:
            return self.narrow == self.wide
        return self.classes[self.narrow] == self.classes[self.wide]

    def _read(self, schema: Schema | SchemaDocument | bool, side: Side) -> int:
        if isinstance(schema, bool):
            self.is_valid[side] = (lambda _: True) if schema else (lambda _: False)
            return ACCEPTS_ALL if schema else ACCEPTS_NOTHING
        document = schema if isinstance(schema, SchemaDocument) else SchemaDocument(schema)
        schema = document.schema
        if document.draft is None:
            raise UnreadableError("`$schema` names another draft", Place(side, ("$schema",)))
        if is_deeper(schema, _MOST_LEVELS_OF_SCHEMAS):
            raise UnreadableError("the schema is nested too deeply", Place(side, ()))
        try:
            graph = check_budget(document)
        except TooComplexError as error:
            raise UnreadableError(str(error), Place(side, error.excess.path)) from error
        try:
            self.is_valid[side] = compiled(schema).is_valid
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"the validator refuses the schema: {error}", Place(side, ())) from error
        reader = _DocumentReader(graph, document.draft, first=len(self.subschemas), side=side)
        self.subschemas += reader.read()
        return reader.first


class _DocumentReader:
    """Reads the subschemas of one document."""

    def __init__(self, graph: Graph, draft: Draft, *, first: int, side: Side) -> None:
        self.first = first
        self._draft = draft
        self._graph = graph
        self._side: Side = side
        self._indices = {node.path: first + index for index, node in enumerate(graph.nodes)}

    def read(self) -> list[ReadSubschema]:
        """Return the subschemas in the order of the graph's nodes."""
        if (looping := _find_loop(self._graph)) is not None:
            raise UnreadableError("a reference leads back to itself", self._place(looping.path))
        return [self._subschema(node) for node in self._graph.nodes]

    def _place(self, path: JsonPath) -> Place:
        return Place(self._side, path)

    def _subschema(self, node: Node) -> ReadSubschema:
        read = ReadSubschema(self._place(node.path), self._draft)
        if node.path and "$schema" in node.schema and draft_of(node.schema) is not self._draft:
            read.problem = "a part of the schema is in another draft"
            return read
        for keyword, value in _keywords(node.schema, self._draft):
            if keyword in REFERENCES:
                target = self._graph.document.target(value, node.path, keyword)
                if isinstance(target, Located):
                    read.keywords[keyword] = HeldSchemas(self._index(target.path, target.value))
                else:
                    read.problem = target.reason
            elif keyword in ("const", "enum") and is_deeper(value, _MOST_LEVELS):
                read.problem = "a value is nested too deeply"
            else:
                read.keywords[keyword] = self._operand(keyword, value, node)
        return read

    def _operand(self, keyword: str, value: Any, node: Node) -> Any:
        path = (*node.path, keyword)
        if keyword == "prefixItems" and "prefixItems" not in node.schema:  # draft-07
            path = (*node.path, "items")
        elif keyword == "items" and isinstance(node.schema.get("items"), list):
            path = (*node.path, "additionalItems")
        if keyword in SINGLE_SCHEMA or keyword == "items":
            return HeldSchemas(self._index(path, value))
        if keyword in SCHEMA_LISTS:
            return HeldSchemas([self._index((*path, index), inner) for index, inner in enumerate(value)])
        if keyword in SCHEMA_MAPS or keyword in MIXED:
            return HeldSchemas(
                {
                    name: list(inner) if isinstance(inner, list) else self._index((*path, name), inner)
                    for name, inner in sorted(value.items())
                }
            )
        return value

    def _index(self, path: JsonPath, schema: Any) -> int:
        if isinstance(schema, bool):
            return ACCEPTS_ALL if schema else ACCEPTS_NOTHING
        return self._indices[path]


def _keywords(schema: Mapping[str, Any], draft: Draft) -> Iterator[tuple[str, Any]]:
    """Yield the keywords that are asserted, those of draft-07 by their names of 2020-12."""
    # Draft-07 ignores the keywords beside a `$ref` (core, section 8.3).
    if draft is Draft.DRAFT_7 and isinstance(schema.get("$ref"), str):
        yield "$ref", schema["$ref"]
        return
    for keyword, value in schema.items():
        if keyword not in ASSERTED[draft]:
            continue
        if keyword == "items" and isinstance(value, list):
            yield "prefixItems", value
        elif keyword == "additionalItems":
            if isinstance(schema.get("items"), list):
                yield "items", value
        else:
            yield keyword, value


_MOST_LEVELS: Final = 60  # of a value in `enum` and `const`: formulas of such values are built recursively


_MOST_LEVELS_OF_SCHEMAS: Final = 2_000  # of objects and lists; only the sum of all paths grows with these


def _find_loop(graph: Graph) -> Node | None:
    """Return a node that applies to a value because it applies to it."""
    ended = set(_order([node.in_place for node in graph.nodes]))
    levels = graph.levels()
    looping = (index for index in range(len(graph.nodes)) if index not in ended and levels[index] >= 0)
    return next((graph.nodes[index] for index in looping), None)


# Kahn, "Topological Sorting of Large Networks", Comm. ACM 5(11), 1962.
def _order(inner: Sequence[Sequence[int]]) -> list[int]:
    """Return the indices that lead to no loop, each after those that it leads to."""
    waiting, users = [len(each) for each in inner], [list[int]() for _ in inner]
    for index, each in enumerate(inner):
        for below in each:
            users[below].append(index)
    done = [index for index, count in enumerate(waiting) if not count]
    for index in done:  # grows
        for user in users[index]:
            waiting[user] -= 1
            if not waiting[user]:
                done.append(user)
    return done


# Classes of equal subschemas


# In any order these accept the same values; `prefixItems` goes by position.
_UNORDERED: Final = frozenset(("allOf", "anyOf", "oneOf"))


@dataclass(frozen=True, slots=True)
class _Group:
    """The schemas below one keyword."""

    indices: list[int]
    is_ordered: bool


class _Classes:
    """Puts subschemas that accept the same values for the same reasons into one class.

    Annotations do not count, nor does the order of keys, or whether a schema is written in place or behind
    a reference in a loop: two subschemas are equal if no way into them shows a difference (bisimulation).
    """

    def __init__(self, subschemas: list[ReadSubschema]) -> None:
        self._numbers: dict[Any, int] = {}
        self._own = [self._number(_own_content(one)) for one in subschemas]
        self._groups = [
            [_Group(indices, keyword not in _UNORDERED) for keyword, indices in sorted(one.children())]
            for one in subschemas
        ]
        self.classes = [0] * len(subschemas)
        remaining = self._number_trees()
        self._refine(remaining)

    def _number(self, content: Any) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    def _number_trees(self) -> list[int]:
        """Number the subschemas that lead to no loop, children first; return the others."""
        inner = [[each for group in groups for each in group.indices if each >= 0] for groups in self._groups]
        numbered = _order(inner)
        for index in numbered:
            self.classes[index] = self._number(self._content(index))
        return sorted({*range(len(inner))}.difference(numbered))

    def _content(self, index: int) -> tuple[Any, ...]:
        return (
            "content",
            self._own[index],
            *(
                tuple(classes) if group.is_ordered else tuple(sorted(classes))
                for group in self._groups[index]
                for classes in [[inner if inner < 0 else self.classes[inner] for inner in group.indices]]
            ),
        )

    # Kanellakis, Smolka, "CCS Expressions, Finite State Processes, and Three Problems of Equivalence", 1990.
    def _refine(self, indices: list[int]) -> None:
        """Number the subschemas in loops: equal until a difference is found."""
        start = self._number("loops")
        for index in indices:
            self.classes[index] = start
        count = 1 if indices else 0
        while indices:
            contents = [self._content(index) for index in indices]
            for index, content in zip(indices, contents, strict=True):
                self.classes[index] = self._number(content)
            if (found := len({self.classes[index] for index in indices})) == count:
                return
            count = found


def _own_content(subschema: ReadSubschema) -> Any:
    """Return what a subschema says apart from the schemas below it, hashable."""
    if subschema.problem is not None:
        return ("problem", subschema.place)
    content: list[Any] = []
    for keyword, value in sorted(subschema.keywords.items(), key=lambda item: item[0]):
        if isinstance(value, HeldSchemas):
            content.append((keyword, value.shape()))
        elif keyword in ("required", "type"):
            content.append((keyword, frozenset([value] if isinstance(value, str) else value)))
        elif keyword == "dependentRequired":
            content.append((keyword, frozenset((name, frozenset(names)) for name, names in value.items())))
        elif keyword == "enum":
            content.append((keyword, frozenset(map(value_key, value))))
        elif keyword == "format" or keyword in CONTENT:
            content.append((keyword, value, subschema.draft.name))
        else:
            content.append((keyword, value_key(value)))
    return tuple(content)
