"""Fixtures: a project on disk, and the command line in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import jsonschema_rs
import pytest
from toolgen.cli import main

from tests.preloaded import python_command

SPEC = Path(__file__).with_name("greet.yaml").read_text("utf-8")


class Done(NamedTuple):
    """Result of a command."""

    code: int
    out: str
    err: str


REPORTS = json.loads((Path(__file__).parents[2] / "docs/reports.schema.json").read_text())
COMMANDS = ("check", "lint", "breaking", "test", "budget")


@cache
def report_validator(command: str) -> jsonschema_rs.Validator:
    either = [{"$ref": f"#/$defs/{command}"}, {"$ref": "#/$defs/errors"}]
    return jsonschema_rs.validator_for({**REPORTS, "anyOf": either})


def is_valid_report(data: object) -> bool:
    return any(report_validator(command).is_valid(data) for command in COMMANDS)


def with_valid_report(words: Sequence[str], done: Done) -> Done:
    """Check a report in JSON by the published schema, whichever test asked for it."""
    is_json = ("--format", "json") in pairwise(words) and done.out
    if is_json and words[0] in COMMANDS and done.code in (0, 1, 2):
        data = json.loads(done.out)
        assert [str(each) for each in report_validator(words[0]).iter_errors(data)] == []
        assert ("diagnostics" in data) == (done.code == 2)
    return done


class Cli:
    """toolgen in one folder."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def __call__(self, *words: str) -> Done:
        """In this process."""
        code = main(["-C", str(self.root), *words])
        return with_valid_report(words, Done(code, *self._capsys.readouterr()))

    def process(self, *words: str, stdin: str | None = None, **env: str) -> Done:
        """In a process of its own, started in the folder."""
        environment = {**os.environ, **env}
        done = subprocess.run(
            [*python_command(environment), "-m", "toolgen", *words],
            cwd=self.root,
            env=environment,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            check=False,
        )
        return with_valid_report(words, Done(done.returncode, done.stdout, done.stderr))

    def spec(self, name: str, text: str | None = None) -> Path:
        """Write a spec."""
        path = self.root / "specs" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SPEC.replace("NAME", name) if text is None else text)
        return path

    def formatted_spec(self, name: str) -> Path:
        """Write a spec with characters whose width only the formatter knows: it runs over the tool's files."""
        return self.spec(name, SPEC.replace("NAME", name).replace("hello", "hello ก็"))

    def tree(self, folder: str = "generated") -> dict[str, str]:
        """Return every file, except Python's byte-code."""
        top = self.root / folder
        return {
            path.relative_to(top).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
            for path in sorted(top.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for all these tests, separate from the user's."""
    folder = tmp_path_factory.mktemp("cache")
    patch = pytest.MonkeyPatch()
    patch.setenv("TOOLGEN_CACHE_DIR", str(folder))
    yield folder
    patch.undo()


@pytest.fixture
def empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A repository with nothing in it."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return Cli(root, capsys)


@pytest.fixture
def project(empty: Cli) -> Cli:
    """A configured project with one spec."""
    (empty.root / "toolgen.toml").write_text('implementations = "work"\n')
    empty.spec("greet")
    return empty
