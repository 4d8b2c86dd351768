"""The schema objects that apply to one value, after a choice at each union, condition and negation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.proof.instances.choices import AlternativeFacts, Turns
from toolgen.proof.instances.prepared_schema import PreparedSchema, RefusedBy, Requirement
from toolgen.schema.document import Schema, as_list, is_type, value_key

Way = Sequence[Requirement]
"""One way to satisfy a keyword."""

KINDS: Final = ("object", "array", "string", "integer", "fraction", "boolean", "null")
"""The JSON types, with numbers divided into integers and others."""

_KINDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "number": frozenset(("integer", "fraction")),
    **{name: frozenset((name,)) for name in ("object", "array", "string", "integer", "boolean", "null")},
}
_CHOICES: Final = ("anyOf", "oneOf", "if", "not", "dependentSchemas", "dependencies")


@dataclass(slots=True)
class Conjunction:
    """The schema objects that apply to one value, and the kinds of values that their types leave."""

    parts: list[Schema] = field(default_factory=list)
    kinds: frozenset[str] = frozenset(KINDS)
    chosen: bool = False  # there was a choice

    @property
    def key(self) -> tuple[int, ...]:
        """Return what tells it from others with other parts."""
        return tuple(map(id, self.parts))


def kinds_of(schema: Schema) -> frozenset[str]:
    """Return the kinds that the `type` of a schema object leaves."""
    types = schema.get("type")
    if isinstance(types, str):
        return _KINDS_OF.get(types, frozenset())
    if isinstance(types, list):
        return frozenset().union(*(_KINDS_OF.get(each, frozenset()) for each in types))
    return frozenset(KINDS)


def kind_of(value: Any) -> str:
    """Return the kind of a value."""
    return next((kind for kind in KINDS if kind != "fraction" and is_type(value, kind)), "fraction")


class Expansion:
    """Collects the parts for some requirements. Choices are made last, when the kinds are known best."""

    def __init__(self, prepared: PreparedSchema, turns: Turns, is_strict: bool) -> None:
        self._prepared = prepared
        self._turns = turns
        self._is_strict = is_strict  # branches of `oneOf` that were not chosen must refuse the value
        self._seen: set[int] = set()
        self._waiting: list[Requirement] = []
        self._open: list[tuple[str, Schema]] = []
        self._refused: set[int] = set()
        self._listed: frozenset[object] | None = None
        self.made = Conjunction()

    def expand(self, requirements: Iterable[Requirement]) -> Conjunction | None:
        """Return the parts for all requirements; None if they contradict each other."""
        self._waiting += requirements
        while True:
            while self._waiting:
                if not self._take(self._waiting.pop()):
                    return None
            if not self._open:
                return self.made
            choice = self._open.pop(0)
            if not self._decide(*choice):
                return None

    def _take(self, requirement: Requirement) -> bool:
        if isinstance(requirement, bool):
            return requirement
        if isinstance(requirement, RefusedBy):
            return self._refuse(requirement.schema)
        if id(requirement) in self._seen:
            return True
        self._seen.add(id(requirement))
        made = self.made
        self._waiting += self._prepared.references(requirement)
        if self._prepared.is_draft_7 and "$ref" in requirement:
            return True  # In draft 7, the keywords beside a `$ref` are ignored.
        made.parts.append(requirement)
        if "type" in requirement:
            made.kinds &= kinds_of(requirement)
        if ("const" in requirement or "enum" in requirement) and not self._list(requirement):
            return False
        self._waiting += reversed(as_list(requirement.get("allOf")))
        self._open += [(each, requirement) for each in _CHOICES if each in requirement]
        return bool(made.kinds)

    def _list(self, schema: Schema) -> bool:
        """Take the values of `const` or `enum`; false if none of them is in the lists before."""
        values = [schema["const"]] if "const" in schema else schema["enum"]
        listed = frozenset(map(value_key, values))
        self._listed = listed if self._listed is None else self._listed & listed
        return bool(self._listed)

    def _refuse(self, schema: Any) -> bool:
        """Note that `schema` must refuse the value, which is seen when one is checked."""
        if isinstance(schema, bool):
            return not schema
        if id(schema) in self._refused:  # a reference may lead back to itself
            return True
        self._refused.add(id(schema))
        self.made.chosen = True
        if schema.keys() == {"type"}:
            self.made.kinds -= kinds_of(schema)
            return bool(self.made.kinds)
        if schema.keys() == {"not"}:
            return self._take(schema["not"])
        if schema.keys() == {"anyOf"}:
            self._waiting += [RefusedBy(branch) for branch in schema["anyOf"]]
        return True

    def _decide(self, keyword: str, schema: Schema) -> bool:
        if keyword in ("dependentSchemas", "dependencies"):
            return self._depend(schema[keyword])
        ways = self._ways(keyword, schema)
        if not ways:
            return False
        self.made.chosen |= len(ways) > 1
        way = ways[0]
        if len(ways) > 1:
            way = ways[self._turns.pick((keyword, id(schema)), [self._alternative(way) for way in ways])]
        self._waiting += reversed(way)
        return True

    def _ways(self, keyword: str, schema: Any) -> list[Way]:
        if keyword == "anyOf":
            ways = [[branch] for branch in schema["anyOf"]]
        elif keyword == "oneOf":
            ways = [[branch] for branch in schema["oneOf"]]
            if self._is_strict:
                all_of = schema["oneOf"]
                ways = [
                    [branch, *(RefusedBy(other) for at, other in enumerate(all_of) if at != index)]
                    for index, branch in enumerate(all_of)
                ]
        elif keyword == "not":
            ways = [[RefusedBy(schema["not"])]]
        else:
            ways = [
                [schema["if"], schema.get("then", True)],
                [RefusedBy(schema["if"]), schema.get("else", True)],
            ]
        return [way for way in ways if all(map(self._is_open, way))]

    def _alternative(self, way: Way) -> AlternativeFacts:
        is_null = any(isinstance(each, Mapping) and kinds_of(each) == _KINDS_OF["null"] for each in way)
        sizes = map(self._prepared.size, way) if self._turns.is_low else ()
        return AlternativeFacts(max(sizes, default=0), is_null)

    def _is_open(self, requirement: Requirement) -> bool:
        """True unless a requirement itself contradicts the kinds that are left."""
        if isinstance(requirement, bool):
            return requirement
        if isinstance(requirement, RefusedBy):
            return requirement.schema is not True
        return "type" not in requirement or bool(kinds_of(requirement) & self.made.kinds)

    def _depend(self, dependencies: Any) -> bool:
        """Decide for each property on which a schema depends: absent, or present with the schema."""
        if "object" not in self.made.kinds or not isinstance(dependencies, Mapping):
            return True
        for name, inner in dependencies.items():
            if isinstance(inner, list) or inner is True:
                continue
            self.made.chosen = True
            # Required, so there is no choice.
            if any(name in as_list(part.get("required")) for part in self.made.parts):
                self._waiting.append(inner)
            elif inner is False or self._turns.pick((id(dependencies), name), _TWO) == 0:
                self._waiting.append(self._derived("absent", name, properties={name: False}))
            else:
                self._waiting += [self._derived("present", name, required=[name]), inner]
        return True

    def _derived(self, what: str, name: str, **keywords: Any) -> Schema:
        return self._prepared.derived((what, name), lambda: keywords)


_TWO: Final = (AlternativeFacts(0), AlternativeFacts(1))
