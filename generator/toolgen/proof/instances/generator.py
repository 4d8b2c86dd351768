"""Generate values for a schema: any valid ones, or a realistic one."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.proof.containment import NotContained, check_containment
from toolgen.proof.instances.builder import EXAMPLE_STYLE, MISSING, STYLES, TRIES, ValueBuilder
from toolgen.proof.instances.prepared_schema import PreparedSchema

Seed = int | str

_REPEATS: Final = 12  # values in a row that were there before: probably there are no others
_HOPELESS: Final = 4  # attempts without any value


class InstanceGenerator:
    """Generates values for one schema, which is compiled once.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, if the schema cannot be enforced.
    """

    def __init__(self, schema: Mapping[str, Any] | bool) -> None:
        self.prepared = PreparedSchema(schema)

    def valid_values(self, *, seed: Seed, count: int) -> Iterator[Any]:
        """Yield `count` valid values, half of them at boundaries; fewer only if none was found."""
        builder = ValueBuilder(self.prepared, f"valid {seed}")
        seen: set[str] = set()
        misses = 0
        number = 0
        turn = 0
        while number < count and misses < TRIES:
            value = builder.build((self.prepared.root,), STYLES[turn % len(STYLES)])
            turn += 1
            if value is MISSING or not self.prepared.is_valid(value):
                misses += 1
                if not number and misses == _HOPELESS:
                    result = self.prepared.derived(
                        "emptiness", lambda: check_containment(self.prepared.root, False)
                    )
                    if isinstance(result, NotContained):
                        yield copy.deepcopy(result.witness)
                    return
                continue
            text = json.dumps(value, sort_keys=True)
            if text in seen and misses < _REPEATS:
                misses += 1
                continue
            seen.add(text)
            number, misses = number + 1, 0
            yield value

    def example(self, *, seed: Seed, name: str = "") -> Any | None:
        """Return a realistic value, None if none was found. `name` says what it is, for a schema of text."""
        builder = ValueBuilder(self.prepared, f"example {seed}", realistic=True)
        for style in (EXAMPLE_STYLE, STYLES[0]):
            value = builder.build((self.prepared.root,), style, name)
            if value is not MISSING and self.prepared.is_valid(value):
                return value
        return next(iter(self.valid_values(seed=seed, count=1)), None)


def example_value(schema: Mapping[str, Any] | bool, *, seed: Seed, name: str = "") -> Any | None:
    """Return one realistic value that `schema` accepts; None if none was found, or if null is the only one.

    Properties called `email`, `city`, `price` and the like, and texts with a format, have such values. `name`
    is what the value itself is called.
    """
    return copy.deepcopy(InstanceGenerator(schema).example(seed=seed, name=name))
