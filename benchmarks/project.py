"""A toolgen project of a given size, with the same tools as input for other tools."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from . import corpus, peer_inputs, plain_corpus
from .process import Done, Wrong, environment, run

BIN = Path(sys.executable).parent
PYTHON, TOOLGEN = sys.executable, str(BIN / "toolgen")

_SETTINGS = 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n'
_IMPLEMENTATION = '''\
"""Gives the same answer to every request."""

from generated.tools.{name} import {class_name}, {base}Response

ANSWER = {base}Response.model_validate({answer!r})


class Tool({class_name}):
    async def execute(self, request, context):
        return ANSWER
'''


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder. `code` is a folder with a toolgen that is used instead of the installed one."""

    folder: Path
    size: int
    code: Path | None = None
    plain: bool = False  # its specs are those of `plain_corpus`

    @property
    def env(self) -> dict[str, str]:
        """Return the environment of commands in this project, with a separate cache."""
        paths = [str(path) for path in (self.code, self.folder) if path]
        return environment(
            self.folder, PYTHONPATH=os.pathsep.join(paths), TOOLGEN_CACHE_DIR=str(self.folder / ".cache")
        )

    def toolgen(
        self,
        *words: str,
        says: str = "",
        env: Mapping[str, str] | None = None,
        code: int = 0,
        weigh: bool = False,
        one_core: bool = False,
    ) -> Done:
        """Run toolgen here. Raises `Wrong` unless it ends with `code` and prints `says`."""
        command = [PYTHON, "-m", "toolgen"] if self.code else [TOOLGEN]
        env = {**self.env, **(env or {})}
        done = run([*command, *words], self.folder, env, code=code, weigh=weigh, one_core=one_core)
        if says not in done.text:
            raise Wrong(f"toolgen {' '.join(words)} did not say {says!r} but:\n{done.text[-2000:]}")
        return done

    def forget(self) -> None:
        """Remove output and cache, as before the first `generate`."""
        for name in ("generated", ".cache", ".no-cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def edit(self, number: int, word: str) -> None:
        """Change one spec to a new text."""
        path = self.folder / "specs" / f"{corpus.name(number % self.size)}.yaml"
        before = path.read_text("utf-8")
        after = re.sub(r"description: Which one.*", f"description: Which one, {word}.", before, count=1)
        if after == before:
            raise Wrong(f"{path} says {word!r} already")
        path.write_text(after, "utf-8")

    def tighten(self, number: int) -> None:
        """Make one spec accept less than it did in the last commit, and all others what they did."""
        subprocess.run(["git", "checkout", "-q", "--", "specs"], cwd=self.folder, check=True)
        path = self.folder / "specs" / f"{corpus.name(number % self.size)}.yaml"
        before = path.read_text("utf-8")
        after = before.replace("maximum: 500\n", f"maximum: {499 - number % 400}\n", 1)
        if after == before:
            raise Wrong(f"{path} has no such limit")
        path.write_text(after, "utf-8")

    def inputs(self) -> list[Path]:
        """Return the specs, relative to the project."""
        return sorted(p.relative_to(self.folder) for p in (self.folder / "specs").rglob("*.yaml"))

    def outputs(self) -> list[Path]:
        """Return the generated files without byte-code."""
        found = (self.folder / "generated").rglob("*")
        return sorted(p.relative_to(self.folder) for p in found if p.is_file() and p.suffix != ".pyc")

    def digest(self) -> str:
        """Return one hash of all generated files."""
        return sha256("\n".join(self._hash_lines(self.outputs())).encode()).hexdigest()

    def record(self) -> None:
        """Write `files.sha256` with inputs and outputs, for `sha256sum` and the bare script."""
        lines = self._hash_lines([*self.inputs(), *self.outputs()])
        (self.folder / "files.sha256").write_text("\n".join(lines) + "\n", "utf-8")

    def compile(self) -> None:
        """Compile byte-code of all generated files, as an installer does."""
        folders = [name for name in ("generated", "tools") if (self.folder / name).is_dir()]
        subprocess.run([PYTHON, "-m", "compileall", "-q", *folders], cwd=self.folder, check=True)

    def commit(self) -> None:
        """Commit everything to git, so that `git status` checks the same files as `check`."""
        (self.folder / ".gitignore").write_text("*.pyc\n.cache/\n.no-cache/\n.bench-log\npeers/\n", "utf-8")
        shutil.rmtree(self.folder / ".git", ignore_errors=True)
        name = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
        for words in (("init", "-q"), ("add", "-A"), (*name, "commit", "-q", "-m", "bench")):
            subprocess.run(["git", *words], cwd=self.folder, check=True)

    def _hash_lines(self, paths: list[Path]) -> Iterator[str]:
        for path in paths:
            yield f"{sha256((self.folder / path).read_bytes()).hexdigest()}  {path.as_posix()}"


def lay_out(folder: Path, size: int, code: Path | None = None, *, plain: bool = False) -> Project:
    """Create a project of `size` specs in `folder`, those of `plain_corpus` if `plain`; generate nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in (plain_corpus if plain else corpus).specs(size):
        file = folder / "specs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "toolgen.toml").write_text(_SETTINGS, "utf-8")
    # other tools stop here in their search for settings, instead of finding those of toolgen's repository
    (folder / "pyproject.toml").write_text('[project]\nname = "bench"\nversion = "0"\n', "utf-8")
    tool = plain_corpus.mcp_tool if plain else peer_inputs.tool
    (folder / "mcp.json").write_text(json.dumps({"tools": [tool(at) for at in range(size)]}), "utf-8")
    (folder / "peers").mkdir()
    if plain:
        return Project(folder, size, code, plain)
    (folder / "openapi.json").write_text(peer_inputs.openapi_document(size), "utf-8")
    (folder / "call.json").write_text(json.dumps(peer_inputs.arguments(0)), "utf-8")
    _implement(folder)
    return Project(folder, size, code)


def _implement(folder: Path) -> None:
    """Implement tool 0, which is the one that is called."""
    name = corpus.name(0)
    base = name.title().replace("_", "")
    text = _IMPLEMENTATION.format(
        name=name, class_name=f"{base}Tool", base=base, answer=peer_inputs.answer(0)
    )
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").write_text("", "utf-8")
    (folder / "tools" / f"{name}.py").write_text(text, "utf-8")
