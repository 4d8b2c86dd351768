"""What servers list can be read: each output schema compiles in JavaScript, by Ajv, and in Python."""

from __future__ import annotations

from typing import Any, cast

import pytest
from toolgen.serving.listed_tool import for_handshake_era, served_tools
from toolgen.serving.readable_output import readable_output

STRING = {"type": "string"}


def of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **more}


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"^[A-Z]{2}\d{3,}$", r"[-\w]+", r"[\w-]", r"[^\s,]*?", r"(?=a)b|(?:c)+", r"\.\*\u00e9\x41", r"[\-\.]", "é"),
    ],
)  # fmt: skip
def test_patterns_that_all_clients_compile_stay(pattern: str) -> None:
    schema = of({"type": "string", "pattern": pattern})
    assert readable_output(schema) is schema


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", r"\-", r"\@", r"[\_]", r"[\w-.]", r"[a-\d]", "(?i)a", "(?P<n>a)", "(?<n>a)", r"a\Z", "a++", "[[:alpha:]]"),
        *("a{b}", "^*", r"\b+", r"\p{L}", r"\p{IsAlpha}", "a{2,1}"),
    ],
)  # fmt: skip
def test_other_patterns_are_not_listed(pattern: str) -> None:
    assert readable_output(of({"type": "string", "pattern": pattern})) == of(STRING)
    assert readable_output(of({"not": {"pattern": pattern}})) == {"type": "object"}


@pytest.mark.parametrize(
    ("schema", "listed"),
    [
        (of({"nullable": True}), of({})),
        (of({"type": "null", "nullable": False}), of({"type": "null"})),
        (of({"type": "string", "nullable": True}), None),
        (of({"id": "x", **STRING}), of(STRING)),
        (of({"enum": []}), of({})),
        (of({"$id": "https://x.example/a"}, items={"$id": "https://x.example/a"}), {"type": "object"}),
        (of({}, patternProperties={"(?i)x": {}}, additionalProperties=False), {"type": "object"}),
        ({"properties": {"id": STRING, "pattern": STRING}, "type": "object"}, None),
        ({"items": {"pattern": r"\-"}, "type": "array"}, {"items": {}, "type": "array"}),
    ],
)
def test_keywords_that_ajv_refuses_are_not_listed(
    schema: dict[str, Any], listed: dict[str, Any] | None
) -> None:
    assert readable_output(schema) == (schema if listed is None else listed)


def test_boolean_properties_are_objects_for_older_clients() -> None:
    schema = {"type": "object", "properties": {"a": True, "b": False}}
    definition = {"name": "t", "description": "d", "input_schema": schema, "output_schema": schema}
    (tool,) = for_handshake_era(served_tools(cast("Any", {"t": definition})))
    for key in ("inputSchema", "outputSchema"):
        assert tool[key]["properties"] == {"a": {}, "b": {"not": {}}}
