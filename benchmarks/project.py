"""A toolgen project of a given size, with the same tools as input for other tools."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from . import corpus, values
from .process import Done, Wrong, environment, run

PYTHON = sys.executable

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
    """A project folder. `code` is a folder with the toolgen that is used."""

    folder: Path
    size: int
    code: Path

    @property
    def env(self) -> dict[str, str]:
        """Return the environment of commands in this project, with a separate cache."""
        return environment(
            self.folder,
            PYTHONPATH=f"{self.code}{os.pathsep}{self.folder}",
            TOOLGEN_CACHE_DIR=str(self.folder / ".cache"),
        )

    def toolgen(
        self,
        *words: str,
        says: str = "",
        env: Mapping[str, str] | None = None,
        code: int = 0,
    ) -> Done:
        """Run toolgen here. Raises `Wrong` unless it ends with `code` and prints `says`."""
        env = {**self.env, **(env or {})}
        done = run([PYTHON, "-m", "toolgen", *words], self.folder, env, code=code)
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

    def outputs(self) -> list[Path]:
        """Return the generated files without byte-code."""
        found = (self.folder / "generated").rglob("*")
        return sorted(p.relative_to(self.folder) for p in found if p.is_file() and p.suffix != ".pyc")

    def digest(self) -> str:
        """Return one hash of all generated files."""
        found = sha256()
        for path in self.outputs():
            found.update(f"{path} ".encode() + (self.folder / path).read_bytes())
        return found.hexdigest()

    def compile(self) -> None:
        """Compile byte-code of all generated files, as an installer does."""
        folders = [name for name in ("generated", "tools") if (self.folder / name).is_dir()]
        subprocess.run([PYTHON, "-m", "compileall", "-q", *folders], cwd=self.folder, check=True)


def lay_out(folder: Path, size: int, code: Path) -> Project:
    """Create a project of `size` specs in `folder`; generate nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in corpus.specs(size):
        file = folder / "specs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "toolgen.toml").write_text(_SETTINGS, "utf-8")
    # other tools stop here in their search for settings, instead of finding those of toolgen's repository
    (folder / "pyproject.toml").write_text('[project]\nname = "bench"\nversion = "0"\n', "utf-8")
    (folder / "peers").mkdir()
    (folder / "call.json").write_text(json.dumps(values.arguments(0)), "utf-8")
    _implement(folder)
    return Project(folder, size, code)


def _implement(folder: Path) -> None:
    """Implement tool 0, which is the one that is called."""
    name = corpus.name(0)
    base = name.title().replace("_", "")
    text = _IMPLEMENTATION.format(name=name, class_name=f"{base}Tool", base=base, answer=values.answer(0))
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").write_text("", "utf-8")
    (folder / "tools" / f"{name}.py").write_text(text, "utf-8")
