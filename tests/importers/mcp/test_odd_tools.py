"""A definition that is not valid costs no other: it is named and left out, or imported as far as it can be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.test_strange_servers import SERVER as STRANGE
from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.samples import sample

OBJECT = {"type": "object"}
GOOD = {"name": "good", "description": "Good.", "inputSchema": OBJECT}
BROKEN = {"name": "other", "description": "Other.", "inputSchema": True}
TAKEN: dict[str, dict[str, Any]] = {
    "no type": {"inputSchema": {}},
    "no schema": {},
    "array": {"inputSchema": {"type": "array"}},
    "title": {"title": 5, "inputSchema": OBJECT},
    "annotations": {"annotations": [], "icons": {}, "_meta": [], "inputSchema": OBJECT},
    "output": {"inputSchema": OBJECT, "outputSchema": {}},
    "draft": {"inputSchema": {**OBJECT, "$schema": 5}},
}
LEFT_OUT: dict[str, tuple[Any, str]] = {
    "name": ({"name": 5, "inputSchema": OBJECT}, "#/1: "),
    "none": (None, "#/1: "),
    "boolean": ({"name": "odd", "inputSchema": True}, "left out odd: "),
    "list": ({"name": "odd", "inputSchema": OBJECT, "outputSchema": []}, "left out odd: "),
    "text": ({"name": "odd", "description": 5, "inputSchema": OBJECT}, "left out odd: "),
    "digits": ({"name": "odd", "inputSchema": {**OBJECT, "maxProperties": 10**700}}, "left out odd: "),
    "bytes": ({"name": "odd", "title": "t" * 5_000_000, "inputSchema": OBJECT}, ": 5,0"),
}


def server(project: Project, *tools: Any) -> list[str]:
    """Let the server list these tools; return its command."""
    answer = {"content": [{"type": "text", "text": "done"}]}
    said = {"name": "shop", "tools": [GOOD, *tools], "answer": answer}
    return [sys.executable, str(STRANGE), str(project.write("said.json", json.dumps(said)))]


def take(project: Project, *tools: Any, words: tuple[str, ...] = ("--implement",)) -> tuple[int, str]:
    done = project.toolgen("import", "mcp", *words, "--", *server(project, *tools))
    return done.returncode, done.stderr


@pytest.mark.parametrize("case", sample([*TAKEN, *LEFT_OUT], (0, 4, 7, 9, 13)))
def test_the_others_are_imported(tmp_path: Path, case: str) -> None:
    project = Project.create(tmp_path)
    odd, words = LEFT_OUT.get(case, ({"name": "odd", **TAKEN.get(case, {})}, ""))
    for way in ((), ("--implement", "--sync")):
        code, said = take(project, odd, words=way)
        assert code == 0, said
        assert words in said
        found = {path.stem for path in tmp_path.glob("specs/*.yaml")}
        assert found == ({"good", "odd"} if case in TAKEN else {"good"})
    project.generate()
    assert take(project, odd, words=("--implement", "--strict", "--sync"))[0] == (0 if case in TAKEN else 2)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A gateway whose upstream lists odd tools since it was imported: one of them is `other`."""
    made = Project.create(tmp_path)
    assert take(made, {"name": "other", "description": "Other.", "inputSchema": OBJECT})[0] == 0
    made.generate()
    server(made, BROKEN, None, {"name": "new", "inputSchema": {}}, {"inputSchema": OBJECT})
    return made


@ERAS
async def test_a_gateway_keeps_calling_the_other_tools(project: Project, era: str) -> None:
    async with project.server() as http, http.client(era) as client:
        assert text_of(await client.call_tool("good", {})) == "done"
        assert error_code(await client.call_tool("other", {})) == "upstream_changed"
        assert text_of(await client.call_tool("good", {})) == "done"
    said = "upstream shop sent 'other', '#/2', 'new', '#/4', tools that break MCP"
    assert http.log.count(said) == 1


def test_a_name_that_is_listed_twice_is_left_out(tmp_path: Path) -> None:
    project = Project.create(tmp_path)
    code, said = take(project, GOOD, {**GOOD, "name": "other"})
    assert (code, "left out good: listed more than once" in said) == (0, True)
    assert [path.name for path in tmp_path.glob("specs/*.yaml")] == ["other.yaml"]
