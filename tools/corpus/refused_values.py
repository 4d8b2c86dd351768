"""Values that a schema refuses: valid ones with one part changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from toolgen.proof.instances import InstanceGenerator

_TRIES: Final = 30  # changes of one value
_OF_OTHER_TYPES: Final[tuple[Any, ...]] = (
    "x",
    "",
    0,
    1.5,
    True,
    [],
    {},
)  # null may stand for an absent property


def refused_values(generator: InstanceGenerator, *, seed: int | str, count: int) -> Iterator[Any]:
    """Yield up to `count` values that the generator's schema refuses; the same ones for the same seed."""
    random = Random(f"refused {seed}")
    seen: set[str] = set()
    for value in generator.valid_values(seed=seed, count=count):
        for _ in range(_TRIES):
            changed = _changed(value, random)
            text = json.dumps(changed)
            if text not in seen and not generator.prepared.is_valid(changed):
                seen.add(text)
                yield changed
                break


def _changed(value: Any, random: Random) -> Any:
    """Return `value` with another part somewhere, deeper ones as likely as the whole."""
    if isinstance(value, dict) and value and random.random() < 0.7:
        name = random.choice(list(value))
        return {**value, name: _changed(value[name], random)}
    if isinstance(value, list) and value and random.random() < 0.7:
        at = random.randrange(len(value))
        return [*value[:at], _changed(value[at], random), *value[at + 1 :]]
    return random.choice([*_near(value), random.choice(_OF_OTHER_TYPES)])


def _near(value: Any) -> list[Any]:
    """Return values of the same type."""
    match value:
        case dict():
            fewer = [{key: value[key] for key in value if key != name} for name in value]
            return [*fewer, *fewer, *({**value, name: 1} for name in ("extra", "", "x y"))]
        case list():
            return [value[1:], [*value, *value[:1]], [*value, None], value * 20, []]
        case str():
            return [value[1:], value + "!", value * 500, value.swapcase(), value + "\n", "é", ""]
        case bool() | None:
            return [not value]
        case _:
            return [value + 1, value - 1, -value - 7, value + 0.5, value * 10**6]
