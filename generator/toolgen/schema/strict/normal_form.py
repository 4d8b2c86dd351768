"""A schema as the cases of values that it accepts: one JSON type each, no `$ref`, no combinators.

`{"type": ["string", "null"]}` has two cases, `anyOf` those of its branches, `allOf` their intersections.
Cases are one level deep: what is below a property or an item is a `Node`, so that recursive schemas end where
their values do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal

from toolgen.schema.document import Draft, Path, draft_of, is_type, resolve_reference, same_value
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.loss import Loss
from toolgen.schema.strict.constraints import ANY_TYPE, Constraints, Node, Part, merge, own_constraints

MOST_CASES: Final = 256
"""More ways than this to satisfy one place of a schema are not worth telling a model."""

MOST_STEPS: Final = 200_000
"""Drafts made and cases compared for one schema; no schema that a person wrote comes near."""

DEEPEST: Final = 40
"""Combinators inside combinators; no schema that a person wrote comes near."""


@dataclass(frozen=True, slots=True)
class Case:
    """Values of one JSON type; of "any" type where the schema names none, which no strict dialect can say."""

    type: str
    values: tuple[Any, ...] | None  # enum or const: nothing else is accepted
    is_const: bool
    keywords: Mapping[str, Any]  # further constraints of this type, as the author wrote them
    properties: Mapping[str, Node]
    required: frozenset[str]
    extras: Literal["unsaid", "closed", "open"]  # properties that are not declared
    items: Node | None
    descriptions: tuple[str, ...]  # outermost first
    losses: tuple[Loss, ...]

    def admits(self, value: object) -> bool:
        """Whether `value` is of this type and, where values are listed, one of them."""
        if self.type != "any" and not is_type(value, self.type):
            return False
        return self.values is None or any(same_value(value, each) for each in self.values)


class UnfitError(Exception):
    """A place that has no cases, with the reason as a fatal loss."""

    def __init__(self, path: Path, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.loss = Loss(path, keyword, reason, fatal=True)


class Document:
    """One author's schema, and the cases of its places, worked out when asked for."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.draft7 = draft_of(schema) is Draft.DRAFT_7
        self.memo: dict[tuple[str, int, int], bool] = {}  # what is known of pairs of cases, by identity
        self._steps = 0
        self.agreed: set[tuple[int, int]] = set()
        self._cases: dict[tuple[Path, ...], tuple[Case, ...]] = {}
        self._asked: set[tuple[Path, ...]] = set()  # places whose cases are being worked out

    def step(self, path: Path = ()) -> None:
        """Count one step of work. Raises UnfitError where that is one too many."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise UnfitError(path, "", "The schema is too complex for strict mode.")

    @property
    def root(self) -> Node:
        return (Part(self.schema, ()),)

    def cases(self, node: Node) -> tuple[Case, ...]:
        """Every way to satisfy `node`; none where no value does. Raises UnfitError."""
        key = tuple(part.path for part in node)
        if key not in self._cases:
            if key in self._asked:
                raise _endless(node[0].path)
            self._asked.add(key)
            self._cases[key] = self._found(node)
            self._asked.discard(key)
        return self._cases[key]

    def _found(self, node: Node) -> tuple[Case, ...]:
        """References and unions share the cases of what they lead to: large recursive schemas stay small."""
        target, union = self.target(node), self.alternatives(node)
        if target is not None:
            return self.cases((target,))
        if union is not None:
            found = tuple(case for branch in union[1] for case in self.cases(branch))
            if len(found) > MOST_CASES:
                raise _too_many(node[0].path)
            return found
        drafts: list[Constraints] = [Constraints()]
        for part in node:
            drafts = _cross(drafts, self._drafts(part, (), combine=True), part.path)
        return tuple(case for draft in drafts for case in _typed(draft, node[0].path))

    def plain(self, node: Node) -> tuple[Case, ...]:
        """The cases of `node` without its own `anyOf` and `oneOf`. Raises UnfitError."""
        drafts = [draft for part in node for draft in self._drafts(part, (), combine=False)]
        return tuple(case for draft in drafts for case in _typed(draft, node[0].path))

    def fields(self, case: Case) -> dict[str, Node]:
        """The properties that can be there: `false` forbids one, as leaving it out of a closed one does."""
        return {name: node for name, node in case.properties.items() if self.cases(node)}

    def alternatives(self, node: Node) -> tuple[str, tuple[Node, ...]] | None:
        """`anyOf` or `oneOf`, and its branches, of a place that says nothing else."""
        if len(node) != 1 or not isinstance(schema := node[0].schema, Mapping):
            return None
        own = [key for key in schema if key in CONSTRAINING]
        if own not in (["anyOf"], ["oneOf"]):
            return None
        return own[0], tuple((part,) for part in _branches(schema, own[0], node[0].path))

    def exclusive(self, branches: Iterable[Node]) -> bool:
        """Whether no value can fit two of `branches`, so that `oneOf` says the same as `anyOf`."""
        from toolgen.schema.strict.disjoint import disjoint  # it asks for cases in turn

        cases = [self.cases(branch) for branch in branches]
        return all(
            disjoint(self, a, b) for left, right in combinations(cases, 2) for a in left for b in right
        )

    def target(self, node: Node) -> Part | None:
        """Where a place that says nothing but `$ref` points to."""
        if len(node) != 1 or not isinstance(schema := node[0].schema, Mapping) or "$ref" not in schema:
            return None
        if not self.draft7 and any(key in CONSTRAINING and key != "$ref" for key in schema):
            return None
        return self._resolved(node[0])

    def _resolved(self, part: Part) -> Part:
        found = resolve_reference(self.schema, part.schema["$ref"])
        if found is None:
            raise UnfitError(part.path, "$ref", f"{part.schema['$ref']!r} is not a place in this schema.")
        return Part(*found)

    def _drafts(self, part: Part, inside: tuple[Path, ...], *, combine: bool) -> list[Constraints]:
        schema, path = part.schema, part.path
        self.step(path)
        if isinstance(schema, bool):
            return [Constraints()] if schema else []
        if not isinstance(schema, Mapping):
            raise UnfitError(path, "", "A schema is an object or a boolean.")
        if path in inside or len(inside) > DEEPEST:
            raise _endless(path)
        within = (*inside, path)
        if self.draft7 and "$ref" in schema:  # draft-07: whatever stands beside `$ref` is ignored
            return self._drafts(self._resolved(part), within, combine=True)
        drafts = [own_constraints(schema, path)]
        if "$ref" in schema:
            drafts = _cross(drafts, self._drafts(self._resolved(part), within, combine=True), path)
        for index, each in enumerate(_branches(schema, "allOf", path)):
            drafts = _cross(drafts, self._drafts(each, within, combine=True), (*path, "allOf", index))
        for keyword in ("anyOf", "oneOf") if combine else ():
            if keyword in schema:
                branches = list(_branches(schema, keyword, path))
                found = [d for each in branches for d in self._drafts(each, within, combine=True)]
                if keyword == "oneOf" and not self.exclusive((part,) for part in branches):
                    found = [replace(d, losses=(*d.losses, (None, overlapping(path)))) for d in found]
                drafts = _cross(drafts, found, path)
        if schema.get("unevaluatedProperties") is False:
            drafts = [replace(d, extras="closed") if d.extras == "unsaid" else d for d in drafts]
        return drafts


def _too_many(path: Path) -> UnfitError:
    return UnfitError(path, "anyOf", f"There are more than {MOST_CASES} ways to satisfy this schema.")


def _endless(path: Path) -> UnfitError:
    return UnfitError(path, "$ref", "The schema refers to itself without ever naming a value.")


def _branches(schema: Mapping[str, Any], keyword: str, path: Path) -> Iterator[Part]:
    found = schema.get(keyword, ())
    if not isinstance(found, list | tuple):
        raise UnfitError(path, keyword, f"`{keyword}` is a list of schemas.")
    for index, branch in enumerate(found):
        yield Part(branch, (*path, keyword, index))


def overlapping(path: Path) -> Loss:
    """The loss of a `oneOf` whose branches overlap."""
    return Loss(path, "oneOf", "A value may fit several branches: strict mode knows only `anyOf`.")


def _cross(left: list[Constraints], right: list[Constraints], path: Path) -> list[Constraints]:
    if len(left) * len(right) > MOST_CASES:
        raise _too_many(path)
    return [both for a in left for b in right if (both := merge(a, b, path)) is not None]


def _typed(draft: Constraints, path: Path) -> Iterable[Case]:
    """One case for each type that `draft` allows."""
    types, losses = draft.types, list(draft.losses)
    if types is None:
        types, loss = _implied(draft, path)
        if loss is not None:
            losses.append((None, loss))
    if "number" in types:
        types = tuple(each for each in types if each != "integer")
    for name in types:
        values = draft.values
        if values is not None:
            values = tuple(value for value in values if is_type(value, name))
            if not values:
                continue
        yield Case(
            name,
            values,
            draft.is_const,
            {key: value for key, (only, value) in draft.keywords.items() if name in only},
            draft.properties if name == "object" else {},
            draft.required if name == "object" else frozenset(),
            draft.extras,
            draft.items if name == "array" else None,
            draft.descriptions,
            tuple(loss for only, loss in losses if only is None or name in only),
        )


def _implied(draft: Constraints, path: Path) -> tuple[tuple[str, ...], Loss | None]:
    """The types of a schema that does not name them."""
    if draft.values is not None:
        order = ("string", "boolean", "integer", "number", "null", "array", "object")
        first = (next(name for name in order if is_type(value, name)) for value in draft.values)
        return tuple(sorted(set(first), key=order.index)), None
    if draft.properties or draft.required or draft.extras != "unsaid":
        return ("object",), Loss(path, "type", "There is no `type`: strict mode accepts only objects here.")
    if draft.items is not None:
        return ("array",), Loss(path, "type", "There is no `type`: strict mode accepts only arrays here.")
    return (ANY_TYPE,), Loss(path, "type", "There is no `type`, and strict mode needs one.", fatal=True)
