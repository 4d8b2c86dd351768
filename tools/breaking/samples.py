"""Values that may refute a verdict: near the constants of both schemas, and from the instance generator."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from toolgen.schema.document import JsonPath
from toolgen.schema.instances import InstanceGenerator

from tools.breaking.pairs import Pair
from tools.breaking.schema_writer import NAMES, VALUES, WORDS

_EXTRA: Final[tuple[Any, ...]] = (
    *VALUES, 3, 0.5, -0.5, 100, 2**53, -(2**53) - 1, 1e300, 5e-324, 0.3, -0.0,
    "abcd", "aaaaaaaaaaaaaaaaaaaaa", "x-a", "AB", "12", "2024-01-01T00:00:00Z", "a@example.com",
    "https://example.com/a", "127.0.0.1", "::1", "P1D", "12:00:00Z", "c3b9f5d8-5b1e-4c0a-9a5e-2f1c8d7e6b5a",
    "aGk=", "{}", "e\u0301", "\n", "a\n", "[", [1, 2], [[]], ["a", "b", "a"], [None, True], [0, False],
    {"b": 1, "c": []}, {"a": 1, "b": 1, "c": 1}, {"x-a": "a"}, {"": 0}, {"a": {"a": {}}},
)  # fmt: skip


def samples(pair: Pair, *, count: int) -> Iterator[Any]:
    """Yield about `count` values, the same for the same pair."""
    random = Random(f"samples {pair.name}")
    pool = _pool([pair.old_part, pair.new_part])
    third = max(count // 3, 1)
    for _ in range(third):
        yield pair.wrap(_value(random, pool, 2))
    valid = list(_generated(pair, third))
    yield from valid
    for _ in range(count - third - len(valid)):
        yield _altered(random.choice(valid), random, pool) if valid else pair.wrap(_value(random, pool, 2))


def _generated(pair: Pair, count: int) -> Iterator[Any]:
    narrow = InstanceGenerator(pair.narrow)
    yield from narrow.valid_values(seed=pair.name, count=max(count // 2, 1))
    wide = InstanceGenerator(pair.wide)
    yield from (each.value for each in wide.nearly_valid_values(seed=pair.name, count=max(count // 3, 1)))
    yield from wide.valid_values(seed=pair.name, count=max(count // 6, 1))


def _pool(parts: list[Any]) -> list[Any]:
    """Return fixed values, and those on both sides of every number, length and value in the schemas."""
    found: list[Any] = []
    stack: list[Any] = list(parts)
    names: list[str] = []
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            names.extend(part)
            stack.extend(part.values())
        elif isinstance(part, list):
            found.append(part)
            stack.extend(part)
        elif isinstance(part, str):
            found.append(part)
        elif isinstance(part, int | float) and not isinstance(part, bool):
            found += [
                part,
                part + 1,
                part - 1,
                part + 0.5,
                part * 2,
                float(part) if abs(part) < 2**53 else part,
            ]
            found += [] if not 0 <= part < 50 else ["a" * (int(part) + step) for step in (0, 1)]
    return [*found, *found, *_EXTRA, *(name for name in names if len(name) < 4)]


def _value(random: Random, pool: list[Any], depth: int) -> Any:
    """Return a value of the pool, or an array or object of such values."""
    roll = random.random()
    if depth == 0 or roll < 0.5:
        return copy.deepcopy(random.choice(pool))
    if roll < 0.72:
        length = random.choice((0, 1, 1, 2, 2, 3, 4, 7))
        if random.random() < 0.3:
            return [_value(random, pool, depth - 1)] * length
        return [_value(random, pool, depth - 1) for _ in range(length)]
    names = [
        *NAMES[:3],
        *(text for text in random.sample(pool, 4) if isinstance(text, str) and len(text) < 12),
    ]
    chosen = random.sample(names, random.randint(0, len(names)))
    return {name: _value(random, pool, depth - 1) for name in chosen}


def _altered(value: Any, random: Random, pool: list[Any]) -> Any:
    """Return `value` with one place replaced, removed or added."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    path = random.choice(places)
    new = _value(random, pool, 1)
    if not path:
        return new
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    roll = random.random()
    if roll < 0.25:
        del parent[path[-1]]
    elif roll < 0.45 and isinstance(parent, dict):
        parent[random.choice(("zz", *NAMES, *WORDS[:4]))] = new
    elif roll < 0.45:
        parent.append(new)
    else:
        parent[path[-1]] = new
    return value


def _places(value: Any, path: JsonPath = ()) -> Iterator[Any]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if len(path) < 6:
            yield from _places(inner, (*path, key))
