"""Read commits of a git repository: no checkout, no hook, no filter, nothing from the network.

Only plumbing commands run: `rev-parse`, `rev-list`, `ls-tree`, `ls-files`, `for-each-ref` and `cat-file`.
They run no program that the repository's configuration names, except to fetch what a partial clone left out,
which is forbidden.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from toolgen.project import UnableError

_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "protocol.allow=never"),
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.44
    "GIT_ALLOW_PROTOCOL": "",  # before: a lazy fetch finds no protocol that it may use
    "GIT_TERMINAL_PROMPT": "0",
}
_OF_ANOTHER = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE")
"""Variables that git sets for hooks: they would name another repository than that of the folder."""
_MAX_REF = 10_000  # characters: the system limits what can be passed to git
_SAFE_DIRECTORY = re.compile(r"git config --global --add safe\.directory .*")
_COMMITTER = re.compile(rb"^committer .*> (\d{1,11}) [+-]\d{4}$", re.MULTILINE)


class EntryKind(StrEnum):
    """The kind of an entry of a tree."""

    FILE = "blob"
    LINK = "link"
    SUBMODULE = "commit"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, link or submodule of a commit."""

    kind: EntryKind
    oid: str
    size: int  # of a file or link in bytes; else 0


@dataclass(frozen=True, slots=True)
class GitRepository:
    """The repository that a folder is in."""

    top: Path  # of the work tree
    git: str  # the program

    def commit(self, ref: str) -> str | None:
        """Return the commit that `ref` names; None if it names none, or several."""
        if not is_ref(ref):
            return None
        # `^{commit}`: a tag leads to the commit that it names
        done = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def entries(self, commit: str, path: str = "") -> dict[str, TreeEntry]:
        """Return what a commit has at and below `path`, by paths from the top. No link is followed.

        Bytes of a path that are not UTF-8 are surrogates. Raises `UnableError` if this clone lacks a folder.
        """
        listed = self._output(
            "ls-tree", "-r", "-z", "-l", "--full-tree", commit, *(["--", path] if path else [])
        )
        found: dict[str, TreeEntry] = {}
        for line in listed.split(b"\0")[:-1]:
            meta, _, name = line.partition(b"\t")
            mode, kind, oid, size = meta.decode().split()
            # https://git-scm.com/docs/git-fast-import#_filemodify lists the modes
            entry_kind = EntryKind.LINK if mode == "120000" else EntryKind(kind)
            # "-" for a folder, and "BAD" for a file that this clone lacks, which `read` reports
            length = int(size) if size.isdecimal() else 0
            found[name.decode("utf-8", "surrogateescape")] = TreeEntry(entry_kind, oid, length)
        return found

    def read(self, oids: Sequence[str]) -> list[bytes]:
        """Return the contents of files or commits. Raises `UnableError` if this clone lacks one."""
        done = self.run("cat-file", "--batch", "--buffer", stdin="".join(f"{oid}\n" for oid in oids).encode())
        output = io.BytesIO(done.stdout)
        contents = []
        for oid in oids:
            found = output.readline().split()  # hash, kind, size; or something else
            if len(found) != 3:
                raise _lacks(f"the object {oid} is missing")
            contents.append(output.read(int(found[2])))
            output.read(1)  # a line end
        return contents

    def files(self) -> list[str]:
        """Return the files of the work tree that git does not ignore, by paths from the top, sorted."""
        listed = self._output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted({os.fsdecode(each) for each in listed.split(b"\0")[:-1]})

    def tags(self) -> dict[str, list[str]]:
        """Return the names of the tags of each commit, sorted."""
        found: dict[str, list[str]] = {}
        fields = ("%(refname:short)", "%(objectname)", "%(*objectname)")
        for name, own, peeled in self._refs(fields, "refs/tags"):
            found.setdefault(peeled or own, []).append(name)
        return {commit: sorted(names) for commit, names in found.items()}

    def ref_names(self) -> list[str]:
        """Return the short names of branches, tags and remote branches."""
        kinds = ("refs/heads", "refs/tags", "refs/remotes")
        return [name for (name,) in self._refs(("%(refname:short)",), *kinds)]

    def history(self, start: str, end: str) -> list[str]:
        """Return the commits after `start` up to `end`, oldest first."""
        return self._output("rev-list", "--reverse", "--topo-order", end, f"^{start}").decode().split()

    def date(self, commit: str) -> str:
        """Return the day in UTC on which a commit was made: "2026-11-22"."""
        found = _COMMITTER.search(self.read([commit])[0])
        return datetime.fromtimestamp(int(found[1]), UTC).date().isoformat() if found else ""

    def fetch_command(self) -> str | None:
        """Return the command that fetches all branches and tags; None if the repository has no remote."""
        remotes = self.run("remote").stdout.decode().split()
        if not remotes:
            return None
        remote = "origin" if "origin" in remotes else remotes[0]
        is_shallow = self.run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
        depth = " --unshallow" if is_shallow else ""
        return f"git fetch{depth} --tags {remote} +refs/heads/*:refs/remotes/{remote}/*"

    def _refs(self, fields: tuple[str, ...], *patterns: str) -> Iterator[list[str]]:
        done = self.run("for-each-ref", f"--format={'%00'.join(fields)}", *patterns)
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            yield line.split("\0")

    def _output(self, *words: str) -> bytes:
        """Return what a command prints. Raises `UnableError` if it fails."""
        done = self.run(*words)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise _lacks(said.split("\n", 1)[0].removeprefix("fatal: "))
        return done.stdout

    def run(self, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run a plumbing command with what it reads on stdin."""
        kept = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER}
        return subprocess.run(
            [self.git, *_OPTIONS, *words],
            cwd=self.top,
            env={**kept, **_ENVIRONMENT},
            input=stdin,
            capture_output=True,
            check=False,
        )


def is_ref(text: str) -> bool:
    """True if `text` may name a commit: it is not an option, and one line of text that can be passed on."""
    return 0 < len(text) <= _MAX_REF and not text.startswith("-") and text.isprintable()


def open_repository(folder: Path) -> GitRepository | None:
    """Return the repository whose work tree `folder` is in; None if it is in none.

    Raises `UnableError` if git is not installed, or refuses to read the repository.
    """
    # a relative entry would run a program of the repository that is read
    folders = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(each)]
    git = shutil.which("git", path=os.pathsep.join(folders))
    if git is None or not os.path.isabs(git):
        raise UnableError("cannot-compare", "git is not installed, or not on the PATH", "install git")
    repository = GitRepository(folder, git)
    done = repository.run("rev-parse", "--show-toplevel")
    if done.returncode == 0:
        return replace(repository, top=Path(os.fsdecode(done.stdout.removesuffix(b"\n"))))
    said = done.stderr.decode("utf-8", "replace")
    if "dubious ownership" in said:
        hint = _SAFE_DIRECTORY.search(said)
        message = f"git does not read the repository of {folder}: another user owns it"
        raise UnableError("cannot-compare", message, hint[0] if hint else "")
    return None


def _lacks(why: str) -> UnableError:
    message = f"this clone lacks files of the commit: {why}"
    return UnableError("cannot-compare", message, "run `git fetch --refetch --no-filter`")
