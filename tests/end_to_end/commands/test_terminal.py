"""No text of others controls the terminal: every command, at a pseudo-terminal, with hostile text."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

import pytest
from toolgen.cli import main

from tests.cli.terminal import at_a_terminal
from tests.end_to_end.commands.test_pytest_plugin import pytest_run
from tests.end_to_end.project import Project
from tests.end_to_end.version_control.repository import Repository
from tests.preloaded import python_command
from tools.fuzz.terminal import faults

HOSTILE = (
    "owned\x1b[31m\x1b[2J\x1b]0;t\x07\x9b31m\x08\x7f\x85\u202e\u2066\u200b\ufeff\u2028\U000e0041\u0336\u20dd\ufe0e"
    "\r\n::error::owned\r##[error]owned\n\t::add-mask::owned"
)
HOSTILE_NAME = HOSTILE.replace("\r", "").replace("\n", "").replace("\t", "").replace("/", "")


def test_the_oracle_sees_each_part_of_the_hostile_text() -> None:
    for char in {*HOSTILE} - {*"\r\n\t"}:
        if not char.isprintable() or char in "\u0336\u20dd\ufe0e":
            assert faults(f"a{char}b"), ascii(char)
    assert faults("x\n  ::error::y")
    assert faults("\x1b[31m")
    assert not faults("\x1b[1;31merror\x1b[0m é\r\n")


QUOTED = json.dumps(HOSTILE).replace("\\udb40\\udc41", "\\U000e0041")  # for YAML
SPEC = f"""
name: shout
description: Return a text.
input_schema:
  type: object
  additionalProperties: false
  properties: {{text: {{type: string, description: {QUOTED}}}}}
output_schema: {{type: object, required: [text], properties: {{text: {{type: string}}}}}}
annotations: {{readOnlyHint: true}}
errors: [{{code: refused, description: It cannot be shouted.}}]
examples:
  - {{name: {QUOTED}, ask: {QUOTED}, input: {{text: {QUOTED}}}, output: {{text: a}}}}
"""
TOOL = """
from generated.tools.shout import RefusedError, ShoutResponse, ShoutTool

HOSTILE = {hostile!r}

class Shout(ShoutTool):
    async def execute(self, request, context):
        {body}
"""
CONFIRM = "confirm: {message: 'Shout {text}?', preview: true}\n"
PLUGIN_TEST = """
import pytest

@pytest.mark.toolgen("shout")
def test_shout(toolgen_case):
    toolgen_case.check()
"""
SERVER = """
import json, sys
HOSTILE, WAY = json.loads({hostile!r}), {way!r}
def send(**message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, number = request["method"], request["id"]
    if method == "initialize" and WAY != "refuses":
        version = request["params"]["protocolVersion"]
        send(id=number, result={{"protocolVersion": version, "capabilities": {{"tools": {{}}}},
                                "serverInfo": {{"name": HOSTILE, "version": HOSTILE}}}})
    elif method == "tools/list" and WAY == "lists":
        schema = {{"type": "object", HOSTILE: HOSTILE, "properties": {{HOSTILE: {{"type": "string"}}}}}}
        send(id=number, result={{"tools": [{{"name": "shout", "title": HOSTILE, "description": HOSTILE, "inputSchema": schema}},
                                          {{"name": "n" * 300 + HOSTILE, "inputSchema": {{"type": "object"}}}}]}})
    elif method == "tools/list" and WAY != "fails":
        send(id=number, result={{"tools": [{{"name": "shout", "inputSchema": {{"type": "object"}}}},
                                          {{"name": HOSTILE, "inputSchema": {{"type": "object"}}}}]}})
    elif method == "tools/call" and WAY == "asks":
        form = {{"type": "object", "properties": {{"sure": {{"type": "boolean"}}}}, "required": ["sure"]}}
        send(id="q", method="elicitation/create", params={{"message": HOSTILE, "requestedSchema": form}})
        sys.stdin.readline()
        send(id=number, result={{"content": [{{"type": "text", "text": HOSTILE}}], "isError": True}})
    elif method == "tools/call" and WAY == "answers":
        send(id=number, result={{"content": [{{"type": "text", "text": HOSTILE}}], "structuredContent": {{HOSTILE: HOSTILE}}}})
    elif method == "tools/call" and WAY == "dies":
        sys.exit(HOSTILE)
    else:
        send(id=number, error={{"code": -32099, "message": HOSTILE}})
"""


def implemented(body: str, more: str = "") -> Callable[[Project], None]:
    def prepare(project: Project) -> None:
        project.add_tool("shout", SPEC + more, TOOL.format(hostile=HOSTILE, body=body))
        project.generate()

    return prepare


def with_spec(text: str) -> Callable[[Project], None]:
    return lambda project: project.add_tool("shout", text)


def with_file(path: str, text: str) -> Callable[[Project], None]:
    def prepare(project: Project) -> None:
        project.write(path, "").write_bytes(text.encode("utf-8", "surrogatepass"))

    return prepare


def server(way: str) -> str:
    code = SERVER.format(hostile=json.dumps(HOSTILE), way=way)
    return shlex.join([sys.executable, "-I", "-S", "-c", code])


def changed_after_generate(project: Project) -> None:
    project.generate()
    for file in (project.root / "generated").rglob("echo.py"):
        file.write_bytes(file.read_bytes() + f"\n# {HOSTILE}\n".encode())


def committed(project: Project) -> None:
    repository = Repository.of(project)
    with_spec(SPEC)(project)
    repository.commit("second")
    text = SPEC.replace(
        "text: {type: string, description",
        f"{QUOTED}: {{type: string}}, text: {{type: integer, description",
    )
    with_spec(text)(project)
    with (project.root / ".git" / "config").open("a") as config:
        config.write(f'[remote "{HOSTILE_NAME}"]\n\turl = /nowhere\n')


def with_baseline(project: Project) -> None:
    with_spec(SPEC)(project)
    baseline = {"toolgen_budget": 1, "unit": HOSTILE, "tools": {}}
    project.write("toolgen.budget.json", json.dumps(baseline))


def with_shout(project: Project) -> None:
    with_spec(SPEC)(project)


OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": HOSTILE, "version": HOSTILE},
    "servers": [{"url": f"http://127.0.0.1/{HOSTILE}"}],
    "paths": {
        f"/{HOSTILE}": {
            "get": {
                "operationId": HOSTILE,
                "parameters": [
                    {"name": HOSTILE, "in": HOSTILE},
                    {"name": HOSTILE, "in": "query", "schema": {"type": HOSTILE}},
                ],
                "responses": {HOSTILE: {"description": HOSTILE}},
            }
        }
    },
}


NO = [("[y/N] ", "n\n")]


@dataclass(frozen=True)
class Case:
    """A command, and what makes it show hostile text."""

    words: Sequence[str]
    prepare: Callable[[Project], object] = lambda project: None
    talk: Sequence[tuple[str, str]] = ()  # text → what is typed then
    hostile: bool = True  # False: nothing of the text is shown


CASES = {
    "an argument": Case([HOSTILE]),
    "a spec's key": Case(["check"], with_spec(f"{SPEC}{QUOTED}: 1\n")),
    "a spec's file name": Case(["check"], with_file(f"specs/{HOSTILE_NAME}.yaml", "name: x\n")),
    "the configuration": Case(["check"], with_file("toolgen.toml", f"{QUOTED} = 1\n")),
    "a diff": Case(["check"], changed_after_generate),
    "a search": Case(["list", "--ask", "shout"], with_spec(SPEC.replace("Return a text.", QUOTED))),
    "a baseline": Case(["budget"], with_baseline),
    "a break": Case(["breaking", "--against", "HEAD"], committed),
    "a remote in a hint": Case(["breaking", "--against", "main2"], committed),
    "an OpenAPI document": Case(["import", "openapi", "x.json"], with_file("x.json", json.dumps(OPENAPI))),
    "an imported server's tools": Case(["import", "mcp", "--stdio", server("lists")]),
    "a tool's result": Case(["call", "shout"], implemented("return ShoutResponse(text=HOSTILE)")),
    "a tool's exception": Case(["call", "shout"], implemented("raise ValueError(HOSTILE)")),
    "a tool's log": Case(
        ["call", "shout"],
        implemented("context.logger.warning('%s', HOSTILE); return ShoutResponse(text='a')"),
    ),
    "invalid arguments": Case(
        ["call", "shout", "--input", json.dumps({HOSTILE: 1})], implemented("return 1")
    ),
    "a question": Case(
        ["call", "shout", "--input", json.dumps({"text": HOSTILE})],
        implemented(
            "return 1\n    async def preview(self, request, context): return f'{request.text}\\n{HOSTILE}'",
            CONFIRM,
        ),
        talk=NO,
    ),
    "a server's question": Case(["call", "shout", "--against", server("asks")], talk=NO),
    "a server's last words": Case(["call", "shout", "--against", server("dies")]),
    "tests of implementations": Case(["test"], implemented("return ShoutResponse(text=HOSTILE)")),
    "a diff of `test --update`": Case(
        ["test", "--update"], implemented("return ShoutResponse(text=HOSTILE)")
    ),
    "types of tools": Case(["export", "stubs"], with_spec(SPEC.replace("Return a text.", QUOTED))),
    "a mocked fault": Case(["mock", "--fail", f"{HOSTILE}=0.1"], with_shout),
}


class Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def in_this_process(project: Project, words: Sequence[str]) -> tuple[str, int]:
    """Run a command that runs no code of the project, which is faster."""
    with (
        Terminal(io.BytesIO(), encoding="utf-8", write_through=True) as stream,
        mock.patch.dict(os.environ, project.environment({"COLUMNS": "80"}), clear=True),
        mock.patch.object(sys, "stdin", io.StringIO()),
        chdir(project.root),
        redirect_stdout(stream),
        redirect_stderr(stream),
    ):
        code = main(words)
        return stream.buffer.getvalue().decode(), code  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CASES)
def test_text_of_others_does_not_control_the_terminal(project: Project, name: str) -> None:
    case = CASES[name]
    case.prepare(project)
    if case.words[0] in ("call", "mock", "test") or name == "an argument":
        env = project.environment({"COLUMNS": "80"})
        shown, code = at_a_terminal(project, case.words, case.talk, python=python_command(env), **env)
    else:
        shown, code = in_this_process(project, case.words)
    assert code in (0, 1, 2), shown
    assert faults(shown) == []
    assert ("owned" in shown) == case.hostile, shown


def test_the_pytest_plugin_shows_no_raw_character(project: Project) -> None:
    implemented("return ShoutResponse(text=HOSTILE)")(project)
    project.write("tests/test_shout.py", PLUGIN_TEST)
    done = pytest_run(project, "-v", "-rs", "tests")
    assert "owned" in done.stdout + done.stderr
    assert faults(done.stdout + done.stderr) == []


def test_json_is_the_same_when_it_is_parsed(project: Project) -> None:
    with_shout(project)
    done = project.toolgen("export", "mcp")
    (tool,) = (each for each in json.loads(done.stdout)["tools"] if each["name"] == "shout")
    assert tool["inputSchema"]["properties"]["text"]["description"] == HOSTILE
    assert faults(done.stdout) == []
