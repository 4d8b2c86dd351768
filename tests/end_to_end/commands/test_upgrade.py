"""A project that an earlier version generated: `generate` replaces what it owns, without calling it edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.project import Project

BEFORE = json.loads(Path(__file__).with_name("project_before_definitions.json").read_text())
"""Path → text of a project, as generated when `catalog.py` had the definitions of all tools."""


@pytest.fixture
def earlier(tmp_path: Path) -> Project:
    made = Project(tmp_path, {"TOOLGEN_CACHE_DIR": str(tmp_path / "cache")})
    for path, text in BEFORE.items():
        made.write(path, "")
        (made.root / path).write_text(text)
    return made


def test_generate_upgrades_an_earlier_layout(earlier: Project) -> None:
    done = earlier.toolgen("generate")
    assert (done.returncode, done.stderr) == (0, "")
    assert earlier.toolgen("check").returncode == 0
    manifest = json.loads((earlier.root / "generated/toolgen.manifest.json").read_text())
    files = [
        path for path in (earlier.root / "generated").rglob("*") if path.is_file() and path.suffix != ".pyc"
    ]
    found = {path.relative_to(earlier.root / "generated").as_posix() for path in files}
    assert found == {*manifest["outputs"], "toolgen.manifest.json"}
    assert "definitions/note.py" in found


def test_files_that_are_no_longer_generated_are_removed_and_edited_ones_kept(earlier: Project) -> None:
    configuration = earlier.root / "toolgen.toml"
    configuration.write_text(configuration.read_text() + 'targets = ["mcp"]\n')
    (earlier.root / "generated/gemini_tools.py").write_text("# mine\n")
    done = earlier.toolgen("generate")
    assert "KEPT generated/gemini_tools.py" in done.stderr
    assert not (earlier.root / "generated/openai_tools.py").exists()


def test_names_that_applications_import_are_still_there(earlier: Project) -> None:
    code = (
        "from generated.catalog import NOTE, TOOLS, tool_class; from generated.openai_tools import CHAT_TOOLS; "
        "from generated.tools.note import NoteTool; from generated import NoteRequest; "
        "assert TOOLS['note'] is NOTE is NoteTool.definition; assert tool_class('note') is NoteTool; "
        "print(CHAT_TOOLS[0]['function']['name'])"
    )
    before = earlier.python("-c", code).stdout
    assert earlier.toolgen("generate").returncode == 0
    assert (before, earlier.python("-c", code).stdout) == ("note\n", "note\n")
