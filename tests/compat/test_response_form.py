"""The form in which older MCP clients get a response: as it is, or wrapped in `{"result": …}`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toolgen.changes.comparing.sides import SpecFiles, compare_files
from toolgen.changes.comparison import compare
from toolgen.changes.contract import ProjectSettings
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import Policy

from tests.compat.cases import TODAY

OBJECT = "output_schema: {type: object}"
NULLABLE = 'output_schema: {type: [object, "null"]}'
WRAPPED = 'responses are wrapped for MCP clients up to 2025-11-25: `{"result": …}`'
UNWRAPPED = 'responses are no longer wrapped for MCP clients up to 2025-11-25: `{"result": …}` before'


def changes(old: str, new: str, *, targets: tuple[str, ...] = ("mcp",)) -> list[Finding]:
    """Return what is found about the form of responses between two versions of a tool."""

    def side(label: str, text: str) -> SpecFiles:
        spec = f"name: find\ndescription: Find it.\ninput_schema: {{type: object}}\n{text}\n"
        return SpecFiles(label, f"{label}/", {"find.yaml": spec.encode()}, ())

    both = compare_files(side("old", old), side("new", new))
    settings = ProjectSettings(frozenset(targets), True, True, "shop", "shop", "", {})
    sides = (replace(each, settings=settings) for each in (both.old, both.new))
    found = compare(*sides, policy=Policy(), today=TODAY)
    return [each for each in found if each.code == "response-form-changed"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (NULLABLE, OBJECT, UNWRAPPED),
        (OBJECT, NULLABLE, WRAPPED),
        (OBJECT, "output_schema: {properties: {number: {type: integer}}}", WRAPPED),
    ],
)
def test_older_mcp_clients_get_the_response_in_another_form(old: str, new: str, message: str) -> None:
    (found,) = changes(old, new)
    assert (found.message, found.pointer) == (message, "/output_schema")
    assert (found.level, found.category) == (Level.ERROR, Category.WIRE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OBJECT, "output_schema: {allOf: [{type: object}]}"),
        (OBJECT, "output_schema: {$ref: '#/$defs/It', $defs: {It: {type: [object]}}}"),
        ("", OBJECT),
        (NULLABLE, f"{OBJECT}\ntargets: {{mcp: {{output_schema: false}}}}"),
    ],
)
def test_the_form_of_the_response_is_the_same(old: str, new: str) -> None:
    assert changes(old, new) == []


def test_a_project_without_an_mcp_server_has_no_older_clients() -> None:
    assert changes(NULLABLE, OBJECT, targets=("openai",)) == []
