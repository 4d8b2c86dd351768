"""Names that many properties or classes want are numbered in linear time, as if each were searched from 2."""

from __future__ import annotations

import re

from toolgen.compile.models.class_builder import NameHint
from toolgen.compile.models.class_names import class_names
from toolgen.language.identifiers import unique_name
from toolgen.schema.dialects.arguments import property_renames
from toolgen.schema.providers import ProviderLimits

from tests.processes import processor_limit

LIMITS = ProviderLimits(argument_name=r"[a-zA-Z0-9_]{1,64}")


def test_thousands_of_equal_names_are_numbered_quickly() -> None:
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    with processor_limit(3):
        for _ in range(20_000):
            taken.add(unique_name("a", taken, numbers))
        names = class_names({f"k{number}": NameHint("Same", "root") for number in range(10_000)}, ())
        properties = {chr(0x4E00 + number): {} for number in range(5_000)}
        renames = property_renames({"properties": properties}, LIMITS)
    assert len(taken) == 20_000
    assert len(set(renames.values())) == 5_000
    assert len(set(names.values())) == 10_000


def test_the_name_of_a_property_in_another_alphabet_does_not_depend_on_the_others() -> None:
    names = ["订单", "数量", "订单id", "客户id", "größe", "grüße", "\ud800", "数" * 100]
    together = property_renames({"properties": {name: {} for name in names}}, LIMITS)
    alone = [property_renames({"properties": {name: {}}}, LIMITS)[name] for name in reversed(names)]
    assert [*together.values()] == alone[::-1]
    assert len(set(alone)) == len(names)
    assert together["客户id"].startswith("id_")
    assert all(re.fullmatch(LIMITS.argument_name or "", name) for name in alone)
