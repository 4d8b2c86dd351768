"""Generate values for a schema: valid, nearly valid, or realistic."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from toolgen.schema.document import JsonPath
from toolgen.schema.instances.limits import LIMITS, InstanceLimits
from toolgen.schema.instances.maker import ValueMaker
from toolgen.schema.validator import compiled

Seed = int | str


@dataclass(frozen=True, slots=True)
class NearlyValid:
    """A value that the schema refuses, for one keyword at one place."""

    value: Any
    path: JsonPath  # of the place in `value`
    keyword: str  # that refuses it


class InstanceGenerator:
    """Generates values for one schema, which is compiled once.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, if the schema cannot be enforced.
    """

    def __init__(self, schema: Mapping[str, Any] | bool, *, limits: InstanceLimits = LIMITS) -> None:
        self.schema = schema if isinstance(schema, Mapping) else {"allOf": [schema]}
        self.limits = limits
        self._validator = compiled(self.schema)

    def valid_values(self, *, seed: Seed, count: int) -> Iterator[Any]:
        """Yield `count` valid values, half of them at boundaries; fewer only if none was found."""
        random = Random(f"valid {seed}")
        maker = ValueMaker(self.schema, random)
        misses = 0
        number = 0
        while number < count and misses < self.limits.tries:
            maker.greed = (0.0, 1.0, 0.5)[number % 3]
            value = maker.value(self.schema, 0)
            if self._validator.is_valid(value):
                number, misses = number + 1, 0
                yield value
            else:
                misses += 1

    def nearly_valid_values(self, *, seed: Seed, count: int) -> Iterator[NearlyValid]:
        """Yield up to `count` values that are refused for one keyword at one place each."""
        number = 0
        for value in self.valid_values(seed=seed, count=count):
            changed: list[Any] = [None, [], {}, "", 0]
            if isinstance(value, dict):
                changed = [{k: v for k, v in value.items() if k != name} for name in value] + changed
            for wrong in changed:
                error = next(self._validator.iter_errors(wrong), None)
                if error is not None:
                    number += 1
                    yield NearlyValid(wrong, tuple(error.instance_path), str(error.schema_path[-1]))
                    if number == count:
                        return

    def example(self, *, seed: Seed, name: str = "") -> Any | None:
        """Return a realistic value, None if none was found. `name` says what it is, for a schema of text."""
        return next(iter(self.valid_values(seed=f"{seed} {name}", count=1)), None)


def valid_values(
    schema: Mapping[str, Any] | bool, *, seed: Seed, count: int, limits: InstanceLimits = LIMITS
) -> Iterator[Any]:
    """Yield `count` values that `schema` accepts, different where possible; fewer if none was found.

    About half are boundary cases. Raises as `InstanceGenerator` does.
    """
    return InstanceGenerator(schema, limits=limits).valid_values(seed=seed, count=count)


def nearly_valid_values(
    schema: Mapping[str, Any] | bool, *, seed: Seed, count: int, limits: InstanceLimits = LIMITS
) -> Iterator[NearlyValid]:
    """Yield up to `count` values that `schema` refuses, each for one keyword at one place."""
    return InstanceGenerator(schema, limits=limits).nearly_valid_values(seed=seed, count=count)


def example_value(
    schema: Mapping[str, Any] | bool, *, seed: Seed, name: str = "", limits: InstanceLimits = LIMITS
) -> Any | None:
    """Return one realistic value that `schema` accepts; None if none was found, or if null is the only one.

    Properties called `email`, `city`, `price` and the like, and texts with a format, have such values. `name`
    is what the value itself is called.
    """
    return copy.deepcopy(InstanceGenerator(schema, limits=limits).example(seed=seed, name=name))
