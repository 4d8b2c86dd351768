"""The document of a page: what it says of a tool, of shared schemas, and of what changed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from toolgen.documents.catalogue import ProjectCatalogue
from toolgen.language.diagnostic import SpecErrors

from tests.testing.mock_samples import write_specs

TODAY = date(2026, 11, 26)
SHARED = """
$defs:
  Money: {type: string, description: An amount., pattern: '^[0-9]+$'}
"""
ORDER = Path(__file__).with_name("catalogue.yaml").read_text("utf-8")
PING = "name: ping\ndescription: Ping.\ninput_schema: {type: object}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_specs(tmp_path, shared=SHARED, order=ORDER, ping=PING)


def tool(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in document["tools"] if each["name"] == name)


def test_a_tool_is_described_as_models_and_users_meet_it(project: Path) -> None:
    order = tool(ProjectCatalogue(str(project)).read(), "order")
    assert order["description"] == "Order articles.\n\nUse when: The user asks for it."
    assert order["consent"]["question"] == "Order for 12?"  # of the first example that is carried out
    assert order["consent"]["example"] == "one"
    assert order["scopes"] == ["orders:write"]
    assert order["errors"][0]["hint"] == "Wait."
    assert [each["name"] for each in order["examples"]] == ["too late", "one"]


def test_sizes_and_losses_are_told_for_each_provider(project: Path) -> None:
    document = ProjectCatalogue(str(project)).read()
    published = tool(document, "order")["published"]
    assert list(published) == ["anthropic", "bedrock", "gemini", "mcp", "openai"]
    assert all(each["bytes"] > 50 for each in published.values())
    assert published["mcp"]["losses"] == []
    assert "/input_schema/$defs/Money/pattern" in [each["path"] for each in published["gemini"]["losses"]]
    assert document["sizes"]["mcp"] > published["mcp"]["bytes"]


def test_a_shared_schema_is_there_once_with_the_tools_that_use_it(project: Path) -> None:
    document = ProjectCatalogue(str(project)).read()
    assert tool(document, "order")["shared"] == {"input_schema": {"Money": "shared.yaml#Money"}}
    (file,) = document["shared"]
    assert file["schemas"] == [
        {"id": "shared.yaml#Money", "name": "Money", "key": "Money", "tools": ["order"]}
    ]


def test_what_changed_is_shown_with_its_witness(project: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for path in (project / "specs").iterdir():
        (old / path.name).write_text(path.read_text())
    (project / "specs/shared.yaml").write_text(SHARED.replace("+$", "{2}$"))
    catalogue = ProjectCatalogue(str(project))
    catalogue.compare(str(old), TODAY)
    document = catalogue.read()
    change = document["changes"][tool(document, "order")["changes"][0]]
    assert change["level"] == "error"
    assert change["witness"]["accepted_by"] == "old"
    assert "changes" not in tool(document, "ping")


def test_a_spec_with_faults_is_reported_until_it_is_valid(project: Path) -> None:
    catalogue = ProjectCatalogue(str(project))
    before = catalogue.read()
    (project / "specs/ping.yaml").write_text("name: [")
    for _ in range(2):
        with pytest.raises(SpecErrors):
            catalogue.read()
    assert catalogue.document() == before
    (project / "specs/ping.yaml").write_text(PING)
    assert catalogue.read() == before
    (project / "specs/ping.yaml").write_text(PING.replace("Ping.", "Pong."))
    assert catalogue.read() == ProjectCatalogue(str(project)).read() != before
