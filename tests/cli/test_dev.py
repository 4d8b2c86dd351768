"""`toolgen dev` compares with main, where main has the project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from toolgen.cli import main
from toolgen.cli.exit_codes import ExitCode

from tests.comparing.repository import Repository, spec

CONFIGURATION = 'specs = "specs"\noutput = "generated"\n'
PROJECT = {"new/toolgen.toml": CONFIGURATION, "new/specs/hello.yaml": spec("hello")}
OTHER = {"old/toolgen.toml": CONFIGURATION, "old/specs/greet.yaml": spec("greet")}


@pytest.mark.parametrize(
    ("on_main", "against"),
    [
        pytest.param(PROJECT, "main", id="the project"),
        pytest.param({**PROJECT, **OTHER}, "main", id="two projects"),
        pytest.param({"README": "none yet"}, None, id="no project"),
        pytest.param(OTHER, None, id="another project"),
        pytest.param({"new/toolgen.toml": CONFIGURATION}, None, id="no specs"),
    ],
)
def test_dev_compares_with_main_if_it_has_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_main: Mapping[str, str], against: str | None
) -> None:
    repository = Repository.create(tmp_path / "repository", on_main)
    repository.write(PROJECT)
    compared: list[str | None] = []

    def serve_page(args: Any, against: str | None, **options: Any) -> ExitCode:
        compared.append(against)
        return ExitCode.CLEAN

    monkeypatch.setattr("toolgen.cli.commands.dev.serve_page", serve_page)
    assert main(["-C", str(repository.root / "new"), "dev"]) == 0
    assert compared == [against]
