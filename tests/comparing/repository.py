"""A git repository in a temporary folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SPEC = """\
name: {name}
description: Say hello.
input_schema:
  type: object
  properties: {{who: {{type: string}}}}
"""
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_COMMITTER_DATE": "2026-01-02T12:00:00Z",
}


def git(folder: Path, *words: str, fails: bool = False) -> str:
    """Run git in a folder, without the user's settings; return what it prints."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **_ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Repository:
    """A work tree."""

    root: Path

    @classmethod
    def create(cls, root: Path, files: Mapping[str, str | bytes]) -> Repository:
        """Create a repository with one commit of `files` on the branch `main`."""
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "-q", "-b", "main")
        made.write(files)
        made.commit()
        return made

    def git(self, *words: str) -> str:
        """Run git here; return what it prints."""
        return git(self.root, *words).strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files."""
        for path, content in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def link(self, path: str, to: str) -> None:
        """Create a symbolic link."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).symlink_to(to)

    def commit(self, tag: str = "") -> str:
        """Commit everything, and tag it; return the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        if tag:
            self.git("tag", tag)
        return self.git("rev-parse", "HEAD")


def spec(name: str, extra: str = "") -> str:
    """Return the text of a spec."""
    return SPEC.format(name=name) + extra


def spec_with_ref(name: str, ref: str) -> str:
    """Return the text of a spec whose one property is a reference."""
    return spec(name).replace("{type: string}", f"{{$ref: {ref!r}}}")


SHARED = "$defs: {Name: {type: string}}\n"
