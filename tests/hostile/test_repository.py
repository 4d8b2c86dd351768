"""No command runs code of a repository, or shows a file to which it only links."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.preloaded import python_command

from .repository import loosen, make_repository

VERBS = [("check",), ("export", "mcp"), ("budget",), ("list", "--ask", "hidden words"), ("generate",)]
SECRET = "aws_secret_access_key = hidden/words"
SECRETS = f"[default]\n{SECRET}\n"


class Repository:
    """A hostile repository, and commands in it."""

    def __init__(self, folder: Path, *, templates: bool = False, cache: Path | None = None) -> None:
        self.preloaded = cache is not None  # its modules hide none that are imported already
        self.cache = cache or folder / "cache"
        self.root = folder / "repository"
        self.canary = folder / "canary"
        self.secret = folder / "credentials"
        self.folder = folder
        self.secret.write_text(SECRETS)
        self.root.mkdir()
        make_repository(self.root, self.canary, self.secret, templates=templates)

    def run(self, *words: str, console: bool = False) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("toolgen")
        python = python_command(os.environ) if self.preloaded else [sys.executable]
        command = [str(script)] if console else [*python, "-m", "toolgen"]
        done = subprocess.run(
            [*command, *words],
            cwd=self.root,
            env={
                **os.environ,
                "TOOLGEN_CACHE_DIR": str(self.cache),
                "PATH": os.pathsep.join([str(self.root / "bin"), os.environ["PATH"]]),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not self.canary.exists(), f"something of the repository ran: {done.stderr}"
        assert SECRET not in done.stdout + done.stderr
        assert self.secret.read_text() == SECRETS
        assert done.returncode in (0, 1, 2), done.stderr
        return done


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the repository's compiled spec, which makes tests of links faster."""
    return tmp_path_factory.mktemp("hostile") / "cache"


@pytest.fixture
def compiled(tmp_path: Path, warm_cache: Path) -> Repository:
    """A repository with a compiled spec in the cache, and without generated files."""
    made = Repository(tmp_path, cache=warm_cache)
    for file in (made.root / "generated").iterdir():
        file.unlink()
    return made


def test_the_canary_detects_code_that_runs(repository: Repository) -> None:
    """The tests below rely on the canary."""
    for code in ("import yaml", "import generated", "import work.echo", "import json"):
        subprocess.run([sys.executable, "-c", code], cwd=repository.root, capture_output=True, check=False)
        assert repository.canary.exists(), code
        repository.canary.unlink()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(
            each,
            marks=() if each[0] in ("generate", "check") else pytest.mark.slow,
            id=" ".join(each),
        )
        for each in VERBS
    ],
)
def test_a_command_runs_nothing_of_the_repository(repository: Repository, words: tuple[str, ...]) -> None:
    repository.run(*words)


@pytest.mark.slow
def test_templates_run_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path, templates=True)
    for file in (repository.root / "generated").iterdir():
        file.unlink()
    for verb in ("check", "generate"):
        done = repository.run(verb)
        assert done.returncode == 2
        assert "evil_templates/own/bad.txt.jinja:1:1: error[bad-template]" in done.stderr


@pytest.mark.parametrize(
    "path",
    [
        "toolgen.toml", "pyproject.toml", "specs/stolen.yaml", "specs/folder", "generated/stolen.py",
        "generated/tools/echo.py", "specs/.toolgen.schema.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["check", "generate"])
def test_a_link_out_of_the_repository_shows_nothing(compiled: Repository, path: str, verb: str) -> None:
    target = compiled.folder if path == "specs/folder" else compiled.secret
    loosen(compiled.root, path, str(target))
    compiled.run(verb)


@pytest.mark.parametrize("path", ["specs", "generated", "generated/tools"])
def test_a_folder_elsewhere_is_refused(compiled: Repository, path: str) -> None:
    import shutil

    shutil.rmtree(compiled.root / path, ignore_errors=True)
    elsewhere = compiled.folder / "elsewhere"
    elsewhere.mkdir()
    loosen(compiled.root, path, str(elsewhere))
    assert compiled.run("generate").returncode == 2
    assert not list(elsewhere.iterdir())
