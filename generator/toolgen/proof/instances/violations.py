"""Values that are valid except for one keyword at one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from toolgen.proof.containment.formats import FORMATS
from toolgen.proof.containment.numbers import exact_number
from toolgen.proof.instances.arrays import ArrayFacts
from toolgen.proof.instances.choices import Dice
from toolgen.proof.instances.conjunction import Conjunction, Part
from toolgen.proof.instances.numbers import as_number
from toolgen.proof.instances.objects import FRESH_NAMES, ObjectFacts
from toolgen.proof.instances.prepared_schema import PreparedSchema
from toolgen.schema.document import JsonPath, Schema, is_type

Make = Callable[..., Any]
"""Returns a value that satisfies the requirements that are its arguments."""

_MAX_CHANGES: Final = 60  # of one place by one keyword
_MAX_PLACES: Final = 400  # of one value
_MAX_LENGTH: Final = 5_000  # characters or items that a violation may need


@dataclass(frozen=True, slots=True)
class NearlyValid:
    """A value that the schema refuses, for one keyword at one place."""

    value: Any
    path: JsonPath  # of the place in `value`
    keyword: str  # that refuses it
    schema_path: JsonPath  # of the keyword in the schema, with the number of the name for `required`


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A part of a value, and the schema objects that apply to it."""

    path: JsonPath
    value: Any
    schemas: Sequence[Schema]


def violations(prepared: PreparedSchema, value: Any, dice: Dice, make: Make) -> Iterator[NearlyValid]:
    """Yield refused variants of a valid value, one for each keyword and place where one is found.

    `make` returns a value for some schemas, for keywords that name what they refuse: `not`, `oneOf`.
    """
    cases = [
        (place, schema, keyword)
        for place in places(prepared, value)
        for schema in place.schemas
        for keyword in schema
        if keyword in _WAYS
    ]
    for place, schema, keyword in dice.shuffled(cases):
        if keyword in _SEVERAL:
            for number, changed in enumerate(_changes(keyword, schema, place.value, make)):
                if found := _violation(prepared, value, place, schema, keyword, [changed]):
                    yield replace(found, schema_path=(*found.schema_path, number))
        else:
            changes = _changes(keyword, schema, place.value, make)
            if found := _violation(prepared, value, place, schema, keyword, islice(changes, _MAX_CHANGES)):
                yield found


def _violation(
    prepared: PreparedSchema,
    value: Any,
    place: ValuePart,
    schema: Schema,
    keyword: str,
    changes: Iterable[Any],
) -> NearlyValid | None:
    """Return the value with one of `changes` at the place, which the schema refuses by the keyword.

    The first change that violates nothing else, otherwise the first.
    """
    node = prepared.node(schema)
    first: NearlyValid | None = None
    for changed in changes if node is not None else ():
        assert node is not None
        whole = replaced(value, place.path, changed)
        if prepared.is_valid(whole) or keyword not in prepared.violated_keywords(node, changed):
            continue
        found = NearlyValid(whole, place.path, keyword, (*node.path, keyword))
        if prepared.count_errors(whole, 2) == 1:
            return found
        first = first or found
    return first


def replaced(value: Any, path: JsonPath, changed: Any) -> Any:
    """Return a copy of `value` with `changed` at `path`."""
    if not path:
        return changed
    step, *rest = path
    inner = replaced(value[step], tuple(rest), changed)
    if isinstance(value, dict):
        return {**value, step: inner}
    assert isinstance(step, int)
    return [*value[:step], inner, *value[step + 1 :]]


# Places


def places(prepared: PreparedSchema, value: Any) -> Iterator[ValuePart]:
    """Yield every part of a valid value with the schema objects that apply to it, the value itself first."""
    waiting: list[tuple[JsonPath, Any, Sequence[Any]]] = [((), value, (prepared.root,))]
    for _ in range(_MAX_PLACES):
        if not waiting:
            return
        path, part, requirements = waiting.pop(0)
        made = _applying(prepared, part, requirements)
        yield ValuePart(path, part, [each.schema for each in made.parts])
        if isinstance(part, dict):
            facts = ObjectFacts(prepared, made)
            waiting += [((*path, name), inner, facts.child(name)) for name, inner in part.items()]
        elif isinstance(part, list):
            items = ArrayFacts(prepared, made)
            waiting += [((*path, at), inner, items.child(at)) for at, inner in enumerate(part[:20])]


def _applying(prepared: PreparedSchema, value: Any, requirements: Sequence[Any]) -> Conjunction:
    """Return the schema objects that accept the value, those in place and behind references included."""
    made = Conjunction()
    waiting = [(each, -1) for each in reversed(requirements)]
    seen: set[int] = set()
    while waiting:
        schema, parent = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen or prepared.node(schema) is None:
            continue
        seen.add(id(schema))
        index = len(made.parts)
        made.parts.append(Part(schema, parent, evaluates=True))
        inner = prepared.references(schema)
        if not (prepared.is_draft_7 and "$ref" in schema):
            inner += _in_place(prepared, schema, value)
        waiting += [(each, index) for each in reversed(inner)]
    return made


def _in_place(prepared: PreparedSchema, schema: Schema, value: Any) -> list[Any]:
    found = list(schema.get("allOf", ()))
    for keyword in ("anyOf", "oneOf"):
        found += [branch for branch in schema.get(keyword, ()) if prepared.accepts(branch, value)]
    if "if" in schema:
        if prepared.accepts(schema["if"], value):
            found += [schema["if"], schema.get("then")]
        else:
            found.append(schema.get("else"))
    for keyword in ("dependentSchemas", "dependencies"):
        for name, inner in schema.get(keyword, {}).items():
            if isinstance(value, dict) and name in value:
                found.append(inner)
    return found


# Ways to violate each keyword, given a value that satisfies it

_Ways = Iterator[Any]

_SAMPLES: Final[tuple[Any, ...]] = ("x", 1, None, [], {}, 0.5, True)
_OF_TYPE: Final[Mapping[str, tuple[Any, ...]]] = {
    "string": ("a", "", "1"),
    "integer": (1, 0),
    "number": (0.5, -1.5),
    "boolean": (True, False),
    "null": (None,),
    "array": ([],),
    "object": ({},),
}
_FRAGMENTS: Final = ("", " ", "\n", "!", "a", "Z", "0", "é", "😀", "-", "_", "/")


def _type(schema: Schema, value: Any, _: Make) -> _Ways:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
        if isinstance(value, int):
            # Floats beyond have no place for the half.
            yield value + 0.5 if abs(value) < 2**50 else 0.5
    elif isinstance(value, str):
        yield from (1, [value])
    elif isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, list):
        yield from value[:1]
    for name, samples in _OF_TYPE.items():
        if name not in types:
            yield from samples[:1]


def _listed(schema: Schema, value: Any, _: Make) -> _Ways:
    if isinstance(value, str):
        yield from (value + "x", value.swapcase(), "", value[:-1], f" {value}")
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, -value - 7)
    elif isinstance(value, list):
        yield from ([*value, None], value[:-1])
    elif isinstance(value, dict):
        yield from ({**value, "extra": None}, {})
    yield from ("other", 987654321, None, True, False)


def _beside(keyword: str, direction: int, is_exclusive: bool) -> Callable[[Schema, Any, Make], _Ways]:
    def ways(schema: Schema, value: Any, _: Make) -> _Ways:
        if not is_type(value, "number") or not math.isfinite(schema[keyword]):
            return
        bound = exact_number(schema[keyword])
        first = 0 if is_exclusive else 1
        step = exact_number(schema.get("multipleOf", 1))
        for by in (first, first + 1, 10, 10**6):
            yield as_number(bound + direction * by * step)
        yield as_number(bound + direction * step / 10)
        whole = math.floor(bound / step) if direction < 0 else math.ceil(bound / step)
        yield from (as_number((whole + direction * by) * step) for by in (0, 1))

    return ways


def _multiple_of(schema: Schema, value: Any, _: Make) -> _Ways:
    if is_type(value, "number"):
        step, exact = exact_number(schema["multipleOf"]), exact_number(value)
        yield from (as_number(exact + by) for by in (1, -1, step / 2, -step / 2, step / 10))


def _min_length(schema: Schema, value: Any, _: Make) -> _Ways:
    least = math.ceil(schema["minLength"])
    if least > 0:
        yield value[: least - 1]
        yield "a" * (least - 1) if least <= _MAX_LENGTH else ""


def _max_length(schema: Schema, value: Any, _: Make) -> _Ways:
    most = math.floor(schema["maxLength"])
    if most < _MAX_LENGTH:
        filler = value[-1:] or "a"
        yield value + filler * (most + 1 - len(value))
        yield "a" * (most + 1)


def _text(_schema: Schema, value: Any, _: Make) -> _Ways:
    middle = len(value) // 2
    for fragment in _FRAGMENTS:
        yield from (value + fragment, fragment + value, value[:middle] + fragment + value[middle + 1 :])
    yield from (value.swapcase(), value[1:], value[:-1], *_FRAGMENTS)


def _format(schema: Schema, value: Any, make: Make) -> _Ways:
    if schema["format"] in FORMATS:
        yield from FORMATS[schema["format"]].invalid
        yield from _text(schema, value, make)


def _required(schema: Schema, value: Any, _: Make) -> _Ways:
    yield from (_without(value, name) for name in schema["required"])


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: inner for name, inner in value.items() if name not in names}


def _more_properties(_schema: Schema, value: Any, _: Make) -> _Ways:
    for name in FRESH_NAMES:
        if name not in value:
            yield from ({**value, name: each} for each in _SAMPLES)


def _false_properties(schema: Schema, value: Any, _: Make) -> _Ways:
    for name, inner in schema["properties"].items():
        if inner is False:
            yield {**value, name: "x"}


def _property_names(schema: Schema, value: Any, make: Make) -> _Ways:
    inner = next(iter(value.values()), None)
    names = [*FRESH_NAMES, "a_long_name_" * 20, *(name + "!" for name in value)]
    yield from ({**value, name: inner} for name in names if name not in value)


def _min_properties(schema: Schema, value: Any, _: Make) -> _Ways:
    wanted = math.ceil(schema["minProperties"]) - 1
    if wanted >= 0:
        needed = [name for name in value if name in schema.get("required", ())]
        names = [*needed, *(name for name in value if name not in needed)]
        yield {name: value[name] for name in names[:wanted]}
        yield {name: value[name] for name in list(value)[-wanted:]} if wanted else {}


def _max_properties(schema: Schema, value: Any, make: Make) -> _Ways:
    wanted = math.floor(schema["maxProperties"]) + 1
    if wanted <= _MAX_LENGTH:
        more = dict(value)
        for name in (*schema.get("properties", ()), *FRESH_NAMES, *(f"key{at}" for at in range(wanted))):
            if len(more) < wanted and name not in more:
                known = schema.get("properties", {}).get(name)
                more[name] = make(known) if known is not None else next(iter(value.values()), None)
        yield more


def _dependent_required(schema: Schema, value: Any, make: Make) -> _Ways:
    needs = schema.get("dependentRequired", schema.get("dependencies", {}))
    for name, needed in needs.items():
        inner = schema.get("properties", {}).get(name, True)
        base = value if name in value else {**value, name: make(inner)}
        if isinstance(needed, list):
            yield from (_without(base, each) for each in needed)
        else:
            yield base


def _min_items(schema: Schema, value: Any, _: Make) -> _Ways:
    wanted = math.ceil(schema["minItems"]) - 1
    if wanted >= 0:
        yield value[:wanted]
        yield value[len(value) - wanted :]


def _max_items(schema: Schema, value: Any, make: Make) -> _Ways:
    wanted = math.floor(schema["maxItems"]) + 1
    if wanted <= _MAX_LENGTH:
        items = schema.get("items", True)
        more = list(value)
        while len(more) < wanted:
            more.append(make(items if isinstance(items, Mapping) else True) if len(more) < 50 else more[-1])
        yield more
        yield [*value, *(value[-1:] or ["x"]) * (wanted - len(value))]


def _unique_items(schema: Schema, value: Any, _: Make) -> _Ways:
    if schema["uniqueItems"] is True:
        yield from ([*value, each] for each in value)
        yield from ([*value[:-1], each] for each in value[:-1])
        yield [None, None]


def _contains(_schema: Schema, value: Any, _: Make) -> _Ways:
    yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
    yield from (value[:size] for size in range(len(value) - 1, -1, -1))
    yield from ([each] * max(1, len(value)) for each in _SAMPLES)


def _max_contains(schema: Schema, value: Any, make: Make) -> _Ways:
    if "contains" in schema:
        wanted = min(math.floor(schema["maxContains"]) + 1, 50)
        found = [make(schema["contains"]) for _ in range(wanted)]
        yield from ([*value, *found[:size]] for size in range(1, wanted + 1))
        yield found


def _more_items(_schema: Schema, value: Any, _: Make) -> _Ways:
    yield from ([*value, each] for each in _SAMPLES)


def _not(schema: Schema, _value: Any, make: Make) -> _Ways:
    yield make(schema["not"])


def _union(schema: Schema, value: Any, make: Make) -> _Ways:
    branches = schema.get("oneOf", ())
    for index, branch in enumerate(branches[:10]):
        for other in branches[:index]:
            yield make(branch, other)
    yield from _listed(schema, value, make)
    yield from (samples[0] for samples in _OF_TYPE.values())
    if isinstance(value, dict):
        yield from (_without(value, name) for name in value)


_WAYS: Final[Mapping[str, tuple[type, Callable[[Schema, Any, Make], _Ways]]]] = {
    "type": (object, _type),
    "enum": (object, _listed),
    "const": (object, _listed),
    "minimum": (object, _beside("minimum", -1, False)),
    "maximum": (object, _beside("maximum", 1, False)),
    "exclusiveMinimum": (object, _beside("exclusiveMinimum", -1, True)),
    "exclusiveMaximum": (object, _beside("exclusiveMaximum", 1, True)),
    "multipleOf": (object, _multiple_of),
    "minLength": (str, _min_length),
    "maxLength": (str, _max_length),
    "pattern": (str, _text),
    "format": (str, _format),
    "required": (dict, _required),
    "properties": (dict, _false_properties),
    "patternProperties": (dict, _more_properties),
    "additionalProperties": (dict, _more_properties),
    "unevaluatedProperties": (dict, _more_properties),
    "propertyNames": (dict, _property_names),
    "minProperties": (dict, _min_properties),
    "maxProperties": (dict, _max_properties),
    "dependentRequired": (dict, _dependent_required),
    "dependencies": (dict, _dependent_required),
    "minItems": (list, _min_items),
    "maxItems": (list, _max_items),
    "uniqueItems": (list, _unique_items),
    "contains": (list, _contains),
    "minContains": (list, _contains),
    "maxContains": (list, _max_contains),
    "items": (list, _more_items),
    "additionalItems": (list, _more_items),
    "unevaluatedItems": (list, _more_items),
    "not": (object, _not),
    "anyOf": (object, _union),
    "oneOf": (object, _union),
}
"""Keyword → the type of the values that it is about, and the function that changes one."""

_SEVERAL: Final = frozenset(("required", "dependentRequired", "dependencies"))
"""Keywords that can be violated once for each name."""


def _changes(keyword: str, schema: Schema, value: Any, make: Make) -> _Ways:
    """Return values beside `value` that may violate a keyword; none if it is about values of another type."""
    type_, ways = _WAYS[keyword]
    return ways(schema, value, make) if isinstance(value, type_) else iter(())
