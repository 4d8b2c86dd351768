"""Names that many properties or classes want are numbered in linear time, as if each were searched from 2."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from toolgen.compile.models.class_builder import NameHint
from toolgen.compile.models.names import class_names
from toolgen.language.names import unique_name
from toolgen.schema.dialects.arguments import property_renames
from toolgen.schema.dialects.publish import publish
from toolgen.schema.document import SchemaDocument
from toolgen.schema.providers import ProviderLimits

from tests.processes import processor_limit

LIMITS = ProviderLimits(argument_name=r"[a-zA-Z0-9_]{1,64}")


def obj(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


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


def test_definitions_with_names_of_another_alphabet_keep_their_names_when_others_are_added() -> None:
    def published(dialect: str, *names: str) -> set[str]:
        definitions = {
            name: obj({"next": {"anyOf": [{"$ref": f"#/$defs/{name}"}, {"type": "null"}]}}) for name in names
        }
        arguments = obj({name: {"$ref": f"#/$defs/{name}"} for name in names})
        return {
            *publish(dialect, SchemaDocument({**arguments, "$defs": definitions}), strict=True).schema[
                "$defs"
            ]
        }

    for dialect in ("openai", "gemini"):
        alone = published(dialect, "订单") | published(dialect, "数量")
        assert published(dialect, "订单", "数量") == alone
