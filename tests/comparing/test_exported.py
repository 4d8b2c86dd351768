"""A comparison with exported definitions: a file, stdin, or what a running server lists."""

from __future__ import annotations

import json
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from toolgen.changes.comparing.server_drift import Drift, judge_tool
from toolgen.changes.comparing.sides import Sides, read_sides
from toolgen.cli import main
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError

from tests.importers.test_hostile import SPEAKS

FORMATS = ("mcp", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock")
SPEC = Path(__file__).with_name("exported_order.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, with what it exports in every format."""
    root = tmp_path_factory.mktemp("exported")
    (root / "specs").mkdir()
    (root / "toolgen.toml").write_text("")
    (root / "specs/order.yaml").write_text(SPEC)
    (root / "specs/same.yaml").write_text(SPEC.replace("name: order", "name: same"))
    return root


def export(root: Path, target: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["-C", str(root), "export", target]) == 0
    return capsys.readouterr().out


def sides(root: Path, against: str) -> Sides:
    return read_sides(against, str(root))


@pytest.mark.parametrize("target", FORMATS)
def test_what_was_exported_is_compared_with_what_would_be(
    exported: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = exported / f"{target}.json"
    file.write_text(export(exported, target, capsys))
    assert sides(exported, f"{target}.json").old.contracts == {}
    spec = exported / "specs/order.yaml"
    try:
        spec.write_text(SPEC.replace("minimum: 1", "minimum: 2").replace("timeout: 5", "timeout: 1"))
        found = sides(exported, f"{target}.json")
    finally:
        spec.write_text(SPEC)
    assert list(found.old.contracts) == list(found.new.contracts) == ["order"]
    old, new = found.old.contracts["order"], found.new.contracts["order"]
    assert old.documents["input_schema"].schema["properties"]["count"]["minimum"] == 1
    assert new.documents["input_schema"].schema["properties"]["count"]["minimum"] == 2
    assert "timeout" not in old.knows
    assert new.spec.description == old.spec.description
    span = old.place("input_schema", "properties", "count", "minimum")
    assert span.file == f"{target}.json"
    assert '"minimum": 1' in file.read_text().splitlines()[span.line - 1]
    assert new.place("input_schema", "properties", "count").file == "specs/order.yaml"


def test_declared_errors_are_compared_with_those_that_a_server_lists(exported: Path) -> None:
    declared = [{"code": "gone", "description": "It is gone."}]
    spec = exported / "specs/order.yaml"
    tool = {"name": "order", "inputSchema": {"type": "object"}}
    try:
        spec.write_text(f"{SPEC}errors: {json.dumps(declared)}\n")
        (exported / "theirs.json").write_text(json.dumps([tool]))
        found = sides(exported, "theirs.json")
        assert "errors" not in found.old.contracts["order"].knows
        (exported / "ours.json").write_text(json.dumps([{**tool, "_meta": {"toolgen/errors": declared}}]))
        found = sides(exported, "ours.json")
        assert "errors" in found.old.contracts["order"].knows & found.new.contracts["order"].knows
        assert found.old.contracts["order"].spec.errors == found.new.contracts["order"].spec.errors
    finally:
        spec.write_text(SPEC)


@pytest.mark.parametrize(("more", "level"), [("", "error"), ("aliases: [order]\n", "info")])
def test_a_published_name_has_one_verdict_against_specs_and_against_what_was_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, level: str
) -> None:
    before = SPEC if not more else SPEC.replace("name: order", "name: buy\ntargets: {mcp: {name: order}}")
    after = before if not more else SPEC.replace("name: order", "name: buy")
    for side in ("specs", "old"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "order.yaml").write_text(before)
    (tmp_path / "toolgen.toml").write_text("")
    (tmp_path / "tools.json").write_text(export(tmp_path, "mcp", capsys))
    changed = f"{after}{more}targets: {{mcp: {{name: buy_now}}}}\n"
    (tmp_path / "specs/order.yaml").write_text(changed)
    verdicts = []
    for against in ("old", "tools.json"):
        words = ["-C", str(tmp_path), "breaking", "--against", against, "--format", "json"]
        code = main(words)
        found = json.loads(capsys.readouterr().out)["findings"]
        rules = ("tool-renamed", "tool-removed")  # an exported tool does not say that it was renamed
        verdicts.append((int(code), [each["level"] for each in found if each["rule"] in rules]))
    assert verdicts == [(int(level == "error"), [level])] * 2


def refused(root: Path, against: str) -> str:
    with pytest.raises((UnableError, SpecErrors)) as found:
        sides(root, against)
    if isinstance(found.value, UnableError):
        assert found.value.code in ("bad-source", "too-complex")
        return f"{found.value.code} {found.value.message}"
    return f"{found.value.diagnostics[0].code} {found.value}"


TOOL: dict[str, Any] = {"name": "f", "inputSchema": {"type": "object"}}
BAD = {
    '{"tools": []}': "has no tools",
    '[{"name": 5, "inputSchema": {}}]': "without a name",
    json.dumps({"tools": [TOOL], "nextCursor": "more"}): "incomplete",
    json.dumps(
        [TOOL, {"name": "g", "input_schema": {}}]
    ): "several formats",  # Python 3.13 reads 9,000 levels
}


@pytest.mark.parametrize("text", BAD, ids=BAD.values())
def test_files_that_are_refused(exported: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "old.json").write_text(text)
    assert BAD[text] in refused(exported, str(tmp_path / "old.json"))


# Servers. What they may do wrong is tested with `import mcp`, which asks them in the same way.

LISTS = "import json, sys\n" + SPEAKS.replace(
    "LISTS", 'answer["result"] = {"tools": [{"name": "old", "inputSchema": {"type": "object"}}]}'
)


def test_a_server_behind_a_command(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(LISTS)
    command = shlex.join([sys.executable, "-S", str(tmp_path / "server.py")])
    found = sides(exported, command)
    assert list(found.old.contracts) == ["old"]
    assert list(found.new.contracts) == ["order", "same"]


SHARED = Path(__file__).with_name("exported_ship.yaml").read_text("utf-8")


@pytest.mark.parametrize("before", ["inline", "keep"])
def test_schemas_with_and_without_references_are_equal(
    tmp_path: Path, before: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "toolgen.toml").write_text("")
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "ship.yaml"
    spec.write_text(SHARED.replace("inline: INLINE", f"inline: {json.dumps(before == 'inline')}"))
    old = export(tmp_path, "mcp", capsys)
    spec.write_text(SHARED.replace("inline: INLINE", f"inline: {json.dumps(before != 'inline')}"))
    new = export(tmp_path, "mcp", capsys)
    assert ("$ref" in old, "$ref" in new) == (before == "keep", before != "keep")
    (tmp_path / "old.json").write_text(old)
    assert main(["-C", str(tmp_path), "breaking", "--against", "old.json"]) == 0
    assert capsys.readouterr().err == "no change\n"
    (pinned,), (listed,) = (json.loads(each)["tools"] for each in (old, new))
    assert judge_tool(pinned, listed, allow_texts=False, today=date(2026, 11, 24)) == Drift((), ())
