"""A project in a git repository, its clones and branches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tests.comparing.repository import git
from tests.end_to_end.project import Project


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
        return git(self.root, *words, fails=fails)

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def clone(self, setting: str) -> Repository:
        """Clone it beside itself, with a git setting such as `core.autocrlf=true`."""
        folder = self.root.with_name(f"{self.root.name}-{setting.partition('=')[2]}")
        self.git("clone", "-q", "-c", setting, str(self.root), str(folder))
        return Repository(replace(self.project, root=folder))
