"""What servers list can be read: each output schema compiles in JavaScript, by Ajv, and in Python."""

from __future__ import annotations

from typing import Any, cast

import pytest
from toolgen.serving.listed_tool import for_handshake_era, readable_output, served_tools

STRING = {"type": "string"}


def of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **more}


PORTABLE = r"^[A-Z]{2}\d{3,}$ [-\w]+ [\w-] [^\s,]*? (?=a)b|(?:c)+ \.\*\u00e9\x41 [\-\.] é"
OTHERS = r"( \- \@ [\_] [\w-.] [a-\d] (?i)a (?P<n>a) (?<n>a) a\Z a++ [[:alpha:]] a{b} ^* \b+ \p{L} \p{IsAlpha} a{2,1}"


@pytest.mark.parametrize("pattern", [*PORTABLE.split(), *OTHERS.split()])
def test_only_patterns_that_all_clients_compile_are_listed(pattern: str) -> None:
    schema = of({"type": "string", "pattern": pattern})
    assert readable_output(schema) == (schema if pattern in PORTABLE.split() else {"type": "object"})


@pytest.mark.parametrize(
    ("schema", "listed"),
    [
        (of({"nullable": True}), {"type": "object"}),
        (of({"type": "null", "nullable": False}), {"type": "object"}),
        (of({"type": "string", "nullable": True}), None),
        (of({"id": "x", **STRING}), {"type": "object"}),
        (of({"enum": []}), {"type": "object"}),
        (of({"$id": "https://x.example/a"}, items={"$id": "https://x.example/a"}), {"type": "object"}),
        (of({}, patternProperties={"(?i)x": {}}, additionalProperties=False), {"type": "object"}),
        ({"properties": {"id": STRING, "pattern": STRING}, "type": "object"}, None),
        ({"items": {"pattern": r"\-"}, "type": "array"}, {}),
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
