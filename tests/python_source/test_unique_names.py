"""Names that many properties or classes want are numbered in linear time, as if each were searched from 2."""

from __future__ import annotations

from random import Random
from time import process_time

from toolgen.models.class_builder import NameHint
from toolgen.models.class_names import class_names
from toolgen.python_source.names import unique_name
from toolgen.schema.dialects.arguments import property_renames
from toolgen.schema.providers import ProviderLimits


def test_remembered_numbers_give_the_same_names() -> None:
    source = Random(1)
    taken, same = {"a_3", "b_2", "A2"}, {"a_3", "b_2", "A2"}
    numbers: dict[str, int] = {}
    for _ in range(500):
        wanted = source.choice(("a", "b", "A", "a_2", "c_", f"a_{source.randint(2, 60)}"))
        name = unique_name(wanted, taken, numbers)
        assert name == unique_name(wanted, same)
        taken.add(name)
        same.add(name)


def test_thousands_of_equal_names_are_numbered_quickly() -> None:
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    started = process_time()
    for _ in range(20_000):
        taken.add(unique_name("a", taken, numbers))
    names = class_names({f"k{number}": NameHint("Same", "root") for number in range(10_000)}, ())
    assert process_time() - started < 2
    properties = {chr(0x4E00 + number): {} for number in range(5_000)}  # each is `_` in ASCII
    limits = ProviderLimits(argument_name=r"[a-zA-Z0-9_]{1,64}")
    renames = property_renames({"properties": properties}, limits)
    assert process_time() - started < 3
    assert len(taken) == 20_000
    assert len(set(renames.values())) == 5_000
    assert len(set(names.values())) == 10_000
