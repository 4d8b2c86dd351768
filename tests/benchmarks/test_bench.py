"""The benchmark's own assumptions, as far as they can be tested without measuring."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.language.package import PackageSettings
from toolgen.language.target import Target
from toolgen.language.targets.builtin import BASE, MCP
from toolgen.serving import mcp_tools

from benchmarks import page, peer_inputs, plain_corpus, report
from benchmarks.corpus import specs
from benchmarks.installation import ROOT
from benchmarks.measure import Case, interleave, ratio
from benchmarks.peer_inputs import answer, arguments, mcp_document
from benchmarks.process import Wrong, environment, run
from benchmarks.rows import OURS, ROWS


def test_a_spec_is_the_same_among_few_and_among_many() -> None:
    assert list(specs(12))[:5] == list(specs(4))


def test_the_specs_are_valid() -> None:
    program = analyze(dict(specs(24)), (Target(BASE, {}),))
    assert len(program.tools) == 24
    assert not program.warnings


def test_the_plain_specs_are_valid_and_those_of_the_peers() -> None:
    program = analyze(dict(plain_corpus.specs(24)), (Target(BASE, {}),))
    assert len(program.tools) == 24
    tools = [plain_corpus.mcp_tool(number) for number in range(24)]
    assert {tool.spec.name: tool.input_schema for tool in program.tools} == {
        tool["name"]: tool["inputSchema"] for tool in tools
    }


@pytest.mark.parametrize("number", range(6))
def test_requests_and_answers_are_valid_for_the_published_schemas(number: int) -> None:
    tool = peer_inputs.tool(number)
    assert jsonschema_rs.validator_for(tool["inputSchema"]).is_valid(arguments(number))
    assert jsonschema_rs.validator_for(tool["outputSchema"]).is_valid(answer(number))


def test_the_peers_get_the_tools_that_are_published() -> None:
    package = lower(analyze(dict(specs(4)), (Target(MCP, {}),)), PackageSettings())
    definitions = {tool.wire_name: tool.definition for tool in package.tools}
    given = sorted((peer_inputs.tool(number) for number in range(4)), key=lambda tool: str(tool["name"]))
    assert mcp_tools(definitions) == given


def test_the_peers_get_every_tool() -> None:
    assert mcp_document(7).count('"inputSchema"') == 7
    assert peer_inputs.openapi_document(7).count('"operationId"') == 7


def test_each_round_begins_with_another_case() -> None:
    order: list[str] = []

    def case(name: str) -> Case:
        return Case(name, lambda: float(order.append(name) is None))

    samples = interleave([case("a"), case("b"), case("c")], 3, "test", warm_up=False)
    assert "".join(order) == "abcbcacab"
    assert samples == {"a": [1.0] * 3, "b": [1.0] * 3, "c": [1.0] * 3}


def test_ratios_are_computed_within_each_round() -> None:
    assert ratio([1.0, 10.0, 4.0], [1.0, 5.0, 1.0]).median == 2.0


def test_a_target_applies_at_its_size_only() -> None:
    row = next(row for row in ROWS if row.id == "cold")
    slow = {row.ours: [2.0], row.baseline: [1.0]}
    found = {figure.size: figure.verdict for figure in report.figures({("generate", 10): slow, ("generate", 1000): slow})
             if figure.row is row}  # fmt: skip
    assert found == {10: "", 1000: "missed"}


def test_a_row_can_have_a_target_for_each_of_some_sizes() -> None:
    row = next(row for row in ROWS if row.id == "cold-plain")
    assert [row.target_at(size) for size in (10, 40, 1000)] == [None, 0.5, 0.25]


def test_every_row_is_measured_in_a_group_that_has_its_case() -> None:
    folder = Path(report.__file__).parent
    modules = (
        "groups.py",
        "gateway.py",
        "documents.py",
        "http.py",
        "imports.py",
        "pages.py",
        "worst.py",
        "clients.py",
        "in_process/calls.py",
        "in_process/client.py",
        "in_process/refusals.py",
        "in_process/blocks.py",
    )
    text = "".join((folder / module).read_text("utf-8") for module in modules)
    for name in {row.ours for row in ROWS if not row.group.startswith("scale")} | set(OURS.values()):
        assert f'"{name}"' in text


def test_a_failing_command_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(Wrong, match="ended with 1, not 0"):
        run(["false"], tmp_path, environment(tmp_path))


def test_figures_can_be_written_and_read() -> None:
    measured = {("check", 10): {"toolgen check": [0.5, 0.25]}}
    assert report.from_data(report.as_data(measured, {})) == measured


def test_the_pages_have_the_stored_figures() -> None:
    data = json.loads((ROOT / "benchmarks/results/summary.json").read_text("utf-8"))
    for path, parts in page.parts_of_pages(data).items():
        for name, part in parts.items():
            assert f"<!-- bench:{name} -->\n{part}\n<!-- /bench:{name} -->" in path.read_text("utf-8"), name


def test_no_other_page_has_a_ratio() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        if path.name != "performance.md":
            assert not re.findall(r"\d\.\d+ times", path.read_text("utf-8")), path.name


def test_the_page_has_the_markers() -> None:
    text = page.PAGE.read_text("utf-8")
    for name in ("targets", "peers", "facts", "worst"):
        assert f"<!-- bench:{name} -->\n" in text
        assert f"<!-- /bench:{name} -->" in text
