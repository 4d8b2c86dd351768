"""Each test is a row of docs/platforms.md."""

from __future__ import annotations

import ast
import os
import signal
import sys
import time
from pathlib import Path

import pytest
import toolgen
from toolgen.base.files import writable_folder
from toolgen.project.building import worker_pool
from toolgen.project.files.interrupts import terminations_as_interrupts

from tests.cli.conftest import SPEC, Cli, empty, own_cache, project

__all__ = ["empty", "own_cache", "project"]

PACKAGE = Path(toolgen.__path__[0])
DOCUMENTS = """\
implementations = "work"
targets = ["mcp", "skill", "agents"]
server = {name = "shop", version = "1.2.0"}
publish = {description = "Greets people."}
"""


def busy(monkeypatch: pytest.MonkeyPatch, times: int) -> list[str]:
    """Let the first renames fail as Windows does for a file that another program has open."""
    refused: list[str] = []
    replace = os.replace

    def refuse(source: str, target: str, **keywords: int) -> None:
        if len(refused) < times:
            refused.append(target)
            error = PermissionError(13, "The process cannot access the file", target)
            error.winerror = 32  # type: ignore[attr-defined]
            raise error
        replace(source, target, **keywords)

    monkeypatch.setattr(writable_folder.os, "replace", refuse)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    return refused


def test_a_file_that_another_program_has_open_for_a_moment_is_replaced(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = busy(monkeypatch, 3)
    assert project("generate").code == 0
    assert len(refused) == 3
    assert project("check").code == 0


def test_a_file_that_stays_open_ends_in_an_error_and_no_file_is_changed(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project("generate").code == 0
    before = project.tree()
    project.spec("later")
    busy(monkeypatch, 1_000)
    done = project("generate")
    assert done.code == 2
    assert "error[cannot-write]" in done.err
    assert "the process cannot access the file" in done.err
    monkeypatch.undo()
    assert project.tree() == before


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_specs_are_compiled_in_one_process_where_processes_cannot_be_forked(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    if system == "win32":
        monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(worker_pool, "_processors", lambda: 8)
    monkeypatch.setattr(worker_pool, "_in_workers", lambda *_: pytest.fail("it forks"))
    batches = list(worker_pool.worker_pool(len, [f"{number}.yaml" for number in range(100)]))
    assert sum(batches) == 100


def test_a_signal_that_does_not_exist_is_not_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "SIGHUP")
    with terminations_as_interrupts():
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_no_output_of_a_program_is_read_in_the_encoding_of_the_system() -> None:
    """It is not UTF-8 on Windows, unless PYTHONUTF8 is set."""
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = {each.arg for each in node.keywords} if isinstance(node, ast.Call) else set()
            if names & {"text", "universal_newlines"} and "encoding" not in names:
                wrong += [
                    f"{path.name}:{node.lineno}" for each in ("stdout", "capture_output") if each in names
                ]
    assert wrong == []


def test_output_is_utf8_whatever_the_system_writes(project: Cli) -> None:
    project.spec("greet", SPEC.replace("NAME", "greet").replace("Say hello", "Sag 你好 → ü"))
    done = project.process("list", PYTHONUTF8="0", PYTHONIOENCODING="cp1252")
    assert done.code == 0
    assert "Sag 你好 → ü" in done.out


def test_files_that_git_gave_other_line_ends_are_up_to_date(project: Cli) -> None:
    (project.root / "toolgen.toml").write_text(DOCUMENTS)
    assert project("generate").code == 0
    for path in [project.root / "AGENTS.md", *(project.root / "generated").rglob("*.*")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert project("check").code == 0


@pytest.mark.parametrize("name", ["con", "lpt9"])
def test_no_generated_file_has_the_name_of_a_device(project: Cli, name: str) -> None:
    (project.root / "toolgen.toml").write_text(DOCUMENTS)
    (project.root / "specs/greet.yaml").unlink()
    project.spec("tool", SPEC.replace("NAME", name))
    assert project("generate").code == 0
    stems = {path.rpartition("/")[2].partition(".")[0].lower() for path in project.tree()}
    assert name not in stems
    assert f"{name}_" in stems


def test_names_that_differ_only_where_case_counts_are_refused(project: Cli) -> None:
    project.spec("upper", SPEC.replace("NAME", "Greet"))
    done = project("generate")
    assert done.code == 2
    assert "error[name-collision]" in done.err


def test_no_generated_path_is_long(project: Cli) -> None:
    """Windows allows 260 characters unless it is configured; a project's folder needs most of them."""
    (project.root / "toolgen.toml").write_text(DOCUMENTS)
    project.spec("long", SPEC.replace("NAME", "n" * 64))
    assert project("generate").code == 0
    assert max(map(len, project.tree())) <= 110
