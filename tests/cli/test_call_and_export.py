"""call and export: one validated call from the shell, and definitions without a server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from toolgen.project import UnableError
from toolgen.project.files.saved_blocks import save_blocks
from toolgen.runtime import Block, ToolResponse

from .conftest import SPEC, Cli, Done

WORK = """\
from generated.tools.greet import GreetRequest, GreetResponse, GreetTool

print("imported, and chatty")


class Greet(GreetTool):
    def execute(self, request, context):
        print("working, and chatty")
        if request.who == "nobody":
            raise RuntimeError("a secret")
        return GreetResponse(text=f"Hello, {request.who}!")
"""


@pytest.fixture
def call(project: Cli) -> Callable[..., Done]:
    """A generated project with an implementation; calls run in processes of their own, as they import it."""
    assert project("generate").code == 0
    (project.root / "work").mkdir()
    (project.root / "work/__init__.py").touch()
    (project.root / "work/greet.py").write_text(WORK)
    return lambda *words, **more: project.process("call", *words, **more)


def test_stdout_holds_the_response_only(call: Callable[..., Done]) -> None:
    done = call("greet", "--input", '{"who": "Ada"}')
    assert (done.code, json.loads(done.out)) == (0, {"text": "Hello, Ada!"})
    assert "chatty" in done.err


def test_input_from_a_file_and_from_stdin(call: Callable[..., Done], project: Cli) -> None:
    (project.root / "input.json").write_text('{"who": "a file"}')
    assert "a file" in call("greet", "--input", "@input.json").out
    assert "a pipe" in call("greet", "--input", "-", stdin='{"who": "a pipe"}').out


def test_a_request_that_violates_the_schema_is_refused(call: Callable[..., Done]) -> None:
    done = call("greet", "--input", '{"who": ""}')
    assert (done.code, done.out) == (1, "")
    assert "Error [invalid_request]" in done.err
    assert "$.who" in done.err
    whole = call("greet", "--input", '{"who": ""}', "--format", "json")
    answer = json.loads(whole.out)
    assert (whole.code, answer["success"], answer["error"]["code"]) == (1, False, "invalid_request")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gret"], "did you mean 'greet'?"),
        (["greet", "--input", "{"], "not JSON"),
        (["greet", "--input", '{"who": NaN}'], "not JSON"),
        (["greet", "who"], "'who' is not NAME=VALUE"),
        (["greet", "who:={"], "not JSON"),
        (["greet", "who=Ada", "who:=1"], "the argument 'who' is given twice"),
        (["greet", "who=Ada", "--input", "[]"], "beside an object in --input"),
    ],
)
def test_calls_that_cannot_be_made_give_exit_code_2(
    call: Callable[..., Done], words: list[str], said: str
) -> None:
    done = call(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_the_code_of_a_tool_runs_in_the_folder_of_c_and_files_are_named_from_here(
    call: Callable[..., Done], project: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = WORK.replace('f"Hello, {request.who}!"', 'open("greeting.txt").read() + request.who')
    (project.root / "work/greet.py").write_text(work)
    (project.root / "greeting.txt").write_text("Welcome, ")
    (tmp_path / "input.json").write_text('{"who": "Ada"}')
    done = Cli(tmp_path, capsys).process("-C", "project", "call", "greet", "--input", "@input.json")
    assert (done.code, json.loads(done.out)) == (0, {"text": "Welcome, Ada"})


def test_call_says_how_to_agree_where_nobody_can_be_asked(project: Cli) -> None:
    project("new", "wipe", "--description", "Wipe everything.", "--destructive")
    project("generate")
    hint = "Hint: toolgen call asks at a terminal; --yes agrees without asking."
    done = project.process("call", "wipe")
    assert (done.code, "Error [confirmation_required]" in done.err) == (1, True)
    assert done.err.rstrip().endswith(hint)
    assert hint not in project.process("call", "wipe", "--yes").err


def test_call_says_how_to_grant_scopes_and_which_one_is_misspelt(
    call: Callable[..., Done], project: Cli
) -> None:
    spec = project.root / "specs/greet.yaml"
    spec.write_text(spec.read_text() + "auth: {scopes: [greetings:write]}\n")
    project("generate")
    hint = "Hint: grant scopes with --scopes greetings:write"
    words = ("greet", "--input", '{"who": "Ada"}')
    assert call(*words).err.rstrip().endswith(hint)
    misspelt = call(*words, "--scopes", "greeting:write").err
    assert misspelt.rstrip().endswith(f"{hint}; did you mean 'greetings:write'?")


def test_export_mcp(project: Cli) -> None:
    project.spec("wave")
    done = project("export", "mcp")
    assert done.code == 0
    tools = json.loads(done.out)["tools"]
    assert [tool["name"] for tool in tools] == ["greet", "wave"]
    assert tools[0]["inputSchema"]["properties"]["who"]["minLength"] == 1
    assert tools[0]["outputSchema"]["required"] == ["text"]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("openai-chat", "openai_tools.CHAT_TOOLS"),
        ("anthropic", "anthropic_tools.TOOLS"),
        ("bedrock", "bedrock_tools.TOOL_CONFIG"),
    ],
)
def test_an_export_is_what_the_generated_module_says(project: Cli, target: str, name: str) -> None:
    done = project("export", target)
    assert (done.code, '"greet"' in done.out) == (0, True)
    project("generate")
    module, _, constant = name.partition(".")
    code = f"import json, generated.{module} as module; print(json.dumps(module.{constant}))"
    printed = subprocess.run([sys.executable, "-c", code], cwd=project.root, capture_output=True, check=True)
    assert json.loads(printed.stdout) == json.loads(done.out)


def test_an_error_that_is_looked_for_in_self_is_named_with_its_import(
    call: Callable[..., Done], project: Cli
) -> None:
    spec = project.root / "specs/greet.yaml"
    spec.write_text(spec.read_text() + "errors: [{code: nobody, description: Nobody is there.}]\n")
    (project.root / "work/greet.py").write_text(WORK.replace("RuntimeError(", "self.NobodyError("))
    done = call("greet", "who=nobody")
    hint = "write `from generated.tools.greet import NobodyError`, then `raise NobodyError(…)` (call "
    assert done.err.count("import NobodyError") == 1
    assert f"AttributeError: {hint}" in done.err


CHART = """\
name: chart
description: Draw a chart.
input_schema: {type: object, properties: {whole: {type: boolean}}}
content: any
"""
DRAW = """\
from generated.tools.chart import ChartTool
from toolgen.runtime import File, Image, Link, Text, ToolResult

class Chart(ChartTool):
    def execute(self, request, context):
        blocks = Image(bytes.fromhex("89504e470d0a1a0a")), File(b"a,b", name="../rows.csv"), Link("https://example.com/r")
        return ToolResult({"total": 7}, *blocks) if request.whole else [*blocks, Text("Up\\x1b[31m.")]
"""


def test_blocks_are_written_to_new_files_and_shown(call: Callable[..., Done], project: Cli) -> None:
    project.spec("chart", CHART)
    (project.root / "work/chart.py").write_text(DRAW)
    project("generate")
    whole = call("chart", "--input", '{"whole": true}', "--save", "out")
    assert (whole.code, json.loads(whole.out)) == (0, {"total": 7})
    assert (project.root / "out/chart-1.png").read_bytes() == bytes.fromhex("89504e470d0a1a0a")
    assert (project.root / "out/rows.csv").read_bytes() == b"a,b"
    assert "wrote out/chart-1.png" in whole.err
    assert "[link: https://example.com/r" not in whole.out
    again = call("chart", "--save", "out", "--format", "json")
    blocks = json.loads(again.out)["blocks"]
    assert [block.get("file") for block in blocks] == [
        "out/chart-1-2.png", "out/rows-2.csv", None, "out/chart-4.txt",
    ]  # fmt: skip
    alone = call("chart")
    assert [block["type"] for block in json.loads(alone.out)] == ["image", "file", "link", "text"]
    assert "--save FOLDER" in alone.err
    assert "\x1b" not in alone.err


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("../../etc/passwd", "passwd"),
        ("con.txt", "x-1.pdf"),
        ("a\x00b:c.pdf", "a_b_c.pdf"),
    ],
)
def test_names_of_saved_files_stay_in_the_folder(name: str | None, saved: str, tmp_path: Path) -> None:
    block = Block("file", b"%PDF", media_type="application/pdf", name=name)
    response = ToolResponse("x", True, blocks=(block,))
    assert save_blocks(response, tmp_path / "new") == [tmp_path / "new" / saved]
    assert [path.name for path in (tmp_path / "new").iterdir()] == [saved]


def test_a_saved_file_replaces_nothing_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("kept")
    (tmp_path / "a.pdf").symlink_to(tmp_path / "secret")
    response = ToolResponse("x", True, blocks=(Block("file", b"%PDF", name="a.pdf"),))
    assert save_blocks(response, tmp_path) == [tmp_path / "a-2.pdf"]
    assert (tmp_path / "secret").read_text() == "kept"
    with pytest.raises(UnableError):
        save_blocks(response, tmp_path / "secret")


def test_files_are_saved_through_no_link_that_leaves_the_project(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "charts").symlink_to("../elsewhere")
    response = ToolResponse("x", True, blocks=(Block("file", b"%PDF", name="a.pdf"),))
    with pytest.raises(UnableError, match="charts is a link that leaves project"):
        save_blocks(response, project / "charts", project=project)
    assert list(elsewhere.iterdir()) == []
    assert save_blocks(response, project / "new/er", project=project) == [project / "new/er/a.pdf"]
    assert save_blocks(response, elsewhere, project=project) == [elsewhere / "a.pdf"]


def test_generated_code_and_every_export_begin_with_the_notice_of_a_deprecated_tool(project: Cli) -> None:
    project.spec(
        "greet", SPEC.replace("NAME", "greet") + "deprecated: {replaced_by: hello, sunset: 2026-06-30}\n"
    )
    notice = "Deprecated; use hello instead. Stops working after 2026-06-30."
    assert project("generate").code == 0

    code = (project.root / "generated/tools/greet.py").read_text()
    exported = [
        project("export", target).out for target in ("mcp", "openai-chat", "anthropic", "gemini", "bedrock")
    ]

    assert f'"""{notice}\n' in code
    assert [each.count(f'"description": "{notice}\\n\\nSay hello') for each in exported] == [1] * 5
