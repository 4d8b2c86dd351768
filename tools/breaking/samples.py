"""Values that may refute a verdict: near the constants of both schemas, and from the instance generator."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import jsonschema_rs
from toolgen.proof.containment import Contained, check_containment
from toolgen.proof.instances import InstanceGenerator
from toolgen.schema.document import JsonPath, Schema

from tools.breaking.pairs import Pair
from tools.breaking.schema_writer import NAMES, VALUES, WORDS
from tools.corpus.refused_values import refused_values

_EXTRA: Final[tuple[Any, ...]] = (
    *VALUES, 3, 0.5, -0.5, 100, 2**53, -(2**53) - 1, 1e300, 5e-324, 0.3, -0.0,
    "abcd", "aaaaaaaaaaaaaaaaaaaaa", "x-a", "AB", "12", "2024-01-01T00:00:00Z", "a@example.com",
    "https://example.com/a", "127.0.0.1", "::1", "P1D", "12:00:00Z", "c3b9f5d8-5b1e-4c0a-9a5e-2f1c8d7e6b5a",
    "aGk=", "{}", "e\u0301", "\n", "a\n", "[", [1, 2], [[]], ["a", "b", "a"], [None, True], [0, False],
    {"b": 1, "c": []}, {"a": 1, "b": 1, "c": 1}, {"x-a": "a"}, {"": 0}, {"a": {"a": {}}},
)  # fmt: skip
_SIZES: Final = (0, 1, 1, 2, 2, 3, 4)


def samples(pair: Pair, *, count: int, generated: bool) -> Iterator[Any]:
    """Yield about `count` values, the same for the same pair; some of the generator if `generated`."""
    random = Random(f"samples {pair.name}")
    near = _NearConstants([pair.old_part, pair.new_part], random)
    quarter = max(count // 4, 1)
    for _ in range(quarter):
        yield pair.wrap(near.value(2))
    valid = list(_of_documents(pair, quarter)) if generated else []
    yield from valid
    parts = [*(_of_parts(pair, quarter) if generated else ()), *(near.value(1) for _ in range(quarter // 2))]
    yield from (_at_place(pair, part, valid, random) for part in parts)
    for _ in range(count - quarter - len(valid) - len(parts)):
        yield near.altered(random.choice(valid)) if valid else pair.wrap(near.value(2))


def _of_documents(pair: Pair, count: int) -> Iterator[Any]:
    """Yield values for both documents, most of them valid for the narrow one."""
    for generator in _generators(pair.narrow):
        yield from generator.valid_values(seed=pair.name, count=max(count // 2, 1))
    for generator in _generators(pair.wide):
        yield from refused_values(generator, seed=pair.name, count=max(count // 3, 1))
        yield from generator.valid_values(seed=pair.name, count=max(count // 6, 1))


def _of_parts(pair: Pair, count: int) -> Iterator[Any]:
    """Yield values for the edited parts alone."""
    for root, part in ((pair.old, pair.old_part), (pair.new, pair.new_part)):
        head = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
        for generator in _generators({**head, "allOf": [part]}):
            yield from generator.valid_values(seed=pair.name, count=max(count // 3, 1))
            yield from refused_values(generator, seed=pair.name, count=max(count // 6, 1))


def _generators(schema: Schema) -> Iterator[InstanceGenerator]:
    """Yield a generator; none for a schema without values, or with references that lead out of it."""
    if isinstance(check_containment(schema, False), Contained):
        return  # it would try for long
    with contextlib.suppress(ValueError, jsonschema_rs.ReferencingError):
        yield InstanceGenerator(schema)


def _at_place(pair: Pair, part: Any, valid: list[Any], random: Random) -> Any:
    """Put a value where the edited part judges it: into a valid value of the document, or by its contexts."""
    if not pair.place or not valid:
        return pair.wrap(part)
    whole = copy.deepcopy(random.choice(valid))
    here = whole
    for step in pair.place[:-1]:
        if isinstance(here, dict) and isinstance(step, str):
            here = here.setdefault(step, {} if isinstance(pair.place[-1], str) else [])
        elif isinstance(here, list) and here:
            here = here[0]
    last = pair.place[-1]
    if isinstance(here, dict) and isinstance(last, str):
        here[last] = part
    elif isinstance(here, list):
        here[:1] = [part]
    return whole


class _NearConstants:
    """Values from a pool: fixed ones, and those on both sides of every number and length in schemas."""

    def __init__(self, parts: list[Any], random: Random) -> None:
        self.random = random
        self.names: list[str] = [*NAMES[:3]]
        self.sizes: list[int] = [*_SIZES]
        found: list[Any] = []
        stack: list[Any] = list(parts)
        while stack:
            part = stack.pop()
            if isinstance(part, dict):
                self.names += [name for name in part if len(name) < 4]
                stack.extend(part.values())
            elif isinstance(part, list):
                found.append(part)
                stack.extend(part)
                self.names += [name for name in part if isinstance(name, str) and len(name) < 6]
            elif isinstance(part, str):
                found.append(part)
            elif isinstance(part, int | float) and not isinstance(part, bool):
                found += self._around(part)
        self.pool = [*found, *found, *_EXTRA]

    def _around(self, number: Any) -> list[Any]:
        near = [*(number + step for step in (0, 1, -1, 0.5, -0.5)), number * 2, number / 2, number / 5]
        if abs(number) < 2**53:
            near.append(float(number))
        if 0 <= number < 30:
            sizes = [int(number), int(number) + 1, max(int(number) - 1, 0)]
            self.sizes += sizes * 2
            near += ["a" * size for size in sizes]
            near += ["1" * size for size in sizes]
        return near

    def value(self, depth: int) -> Any:
        """Return a value of the pool, or an array or object of such values."""
        random = self.random
        roll = random.random()
        if roll < 0.1:
            return "".join(random.choices("abcxA1-.é\n ", k=random.choice(_SIZES)))
        if depth == 0 or roll < 0.45:
            return copy.deepcopy(random.choice(self.pool))
        size = random.choice(self.sizes)
        if roll < 0.72:
            if random.random() < 0.3:
                return [self.value(depth - 1)] * size
            if random.random() < 0.3:
                return list(range(size))
            return [self.value(depth - 1) for _ in range(size)]
        names = dict.fromkeys(random.sample(self.names, min(size, len(self.names))))
        names |= dict.fromkeys(f"k{number}" for number in range(size - len(names)))
        same = self.value(depth - 1)
        alike = random.random() < 0.5
        return {name: copy.deepcopy(same) if alike else self.value(depth - 1) for name in names}

    def altered(self, value: Any) -> Any:
        """Return a copy of `value` with one place replaced, removed or added."""
        value = copy.deepcopy(value)
        path = self.random.choice(list(_places(value)))
        new = self.value(1)
        if not path:
            return new
        parent = value
        for step in path[:-1]:
            parent = parent[step]
        roll = self.random.random()
        if roll < 0.25:
            del parent[path[-1]]
        elif roll < 0.45 and isinstance(parent, dict):
            parent[self.random.choice(("zz", *self.names, *WORDS[:4]))] = new
        elif roll < 0.45:
            parent.append(new)
        else:
            parent[path[-1]] = new
        return value


def _places(value: Any, path: JsonPath = ()) -> Iterator[JsonPath]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if len(path) < 6:
            yield from _places(inner, (*path, key))
