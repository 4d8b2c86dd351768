"""A project in a git repository, its clones and branches."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from tests.end_to_end.project import Project

# A user's own settings do not count.
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


@dataclass
class Repository:
    """A repository whose work tree is a project."""

    project: Project

    @property
    def root(self) -> Path:
        return self.project.root

    @classmethod
    def of(cls, project: Project) -> Repository:
        """Make the project's folder a repository with one commit on the branch `main`."""
        made = cls(project)
        made.write(".gitignore", "__pycache__/\ncache/\n*.log\n")
        made.git("init", "-q", "-b", "main")
        made.commit("first")
        return made

    def write(self, path: str, text: str) -> Path:
        """Write a file of the project."""
        return self.project.write(path, text)

    def git(self, *words: str, fails: bool = False) -> str:
        """Run git in the work tree; return what it prints."""
        done = subprocess.run(
            ["git", *words],
            cwd=self.root,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def clone(self, setting: str) -> Repository:
        """Clone it beside itself, with a git setting such as `core.autocrlf=true`."""
        folder = self.root.with_name(f"{self.root.name}-{setting.partition('=')[2]}")
        self.git("clone", "-q", "-c", setting, str(self.root), str(folder))
        return Repository(replace(self.project, root=folder))
