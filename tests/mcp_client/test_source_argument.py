"""Options that name a server read it in the same way: a URL, a file or folder, else a command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from toolgen.sources.mcp_client.source_argument import CommandWords, ServerSource, read_source

from tests.cli.conftest import Cli
from tests.comparing.test_exported import LISTS


@pytest.fixture
def server(project: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A project with an executable `server` in its folder, which is the working folder."""
    (project.root / "server").write_text(f"#!{sys.executable} -S\n{LISTS}")
    (project.root / "server").chmod(0o755)
    (project.root / "server.py").write_text(LISTS)
    monkeypatch.chdir(project.root)
    return project


@pytest.mark.parametrize(
    "words",
    [
        ("./server",),
        ("--", sys.executable, "-S", "server.py"),
    ],
)
def test_breaking_starts_a_command(server: Cli, words: tuple[str, ...]) -> None:
    done = server("breaking", "--format", "json", "--against", *words)
    found = json.loads(done.out)["findings"]
    assert "tool 'old' removed" in [each["message"] for each in found]


@pytest.mark.parametrize("words", [("./server",), ("--", "./server")])
def test_import_starts_a_program_that_is_given_by_its_path(server: Cli, words: tuple[str, ...]) -> None:
    assert server("import", "mcp", "--into", "specs/made", *words).out.split() == ["specs/made/old.yaml"]


@pytest.mark.parametrize("words", [("call", "order", "--against"), ("test", "--against")])
def test_a_file_that_cannot_be_run_is_no_server(server: Cli, words: tuple[str, ...]) -> None:
    done = server(*words, "server.py")
    assert done.code == 2
    assert "server.py is a file or folder that cannot be run" in done.err


def test_a_word_is_a_url_a_path_or_a_command(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("[]")
    (tmp_path / "tools.json").chmod(0o755)  # as file systems without modes have it
    (tmp_path / "my server").write_text("")
    (tmp_path / "my server").chmod(0o755)
    start = str(tmp_path)
    assert read_source("https://example.com/mcp", start) == ServerSource("https://example.com/mcp", False)
    assert read_source("tools.json", start) == tmp_path / "tools.json"
    assert read_source(start, "/") == tmp_path
    assert read_source("my server", start) == ServerSource(f"'{tmp_path}/my server'", True)
    assert read_source("shop-server", start) == ServerSource("shop-server", True)
    assert read_source(CommandWords("tools.json"), start) == ServerSource("tools.json", True)
