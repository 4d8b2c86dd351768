"""Read commits of a git repository: no checkout, no hook, no filter, nothing from the network.

Only plumbing commands run: `rev-parse`, `rev-list`, `ls-tree`, `for-each-ref` and `cat-file`. They run no
program that the repository's configuration names, except to fetch what a partial clone left out, which is
forbidden.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType

from toolgen.project.errors import UnableError

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
_SHA = re.compile(r"[0-9a-f]{7,64}")
_MAX_REF = 10_000  # characters: the system limits what can be passed to git
_SAFE_DIRECTORY = re.compile(r"git config --global --add safe\.directory .*")
_COMMITTER = re.compile(rb"^committer .*> (\d{1,11}) [+-]\d{4}$", re.MULTILINE)
_VERSION = re.compile(r"v?\d+(\.\d+)*([-.+].*)?")


MAX_ENTRIES = 1_000_000  # of one listing
MAX_LISTED_BYTES = 256 * 1024 * 1024
_CHUNK = 64 * 1024


class EntryKind(StrEnum):
    """The kind of an entry of a tree."""

    FILE = "blob"
    FOLDER = "tree"
    LINK = "link"
    SUBMODULE = "commit"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, folder, link or submodule of a commit."""

    path: str  # relative to the listed tree; bytes that are not UTF-8 are surrogates
    kind: EntryKind
    oid: str
    size: int  # of a file or link in bytes; else 0


class MissingObjectError(Exception):
    """An object that the commit needs is not in this clone."""


class GitRepository:
    """The repository that a folder is in. Close it: it keeps a process that reads objects."""

    def __init__(self, top: Path, git: str) -> None:
        self.top = top  # of the work tree
        self._git = git
        self._objects: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> GitRepository:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whether it still answers or not."""
        if self._objects is not None:
            self._objects.kill()
            self._objects.communicate()

    def commit(self, ref: str) -> str | None:
        """Return the commit that `ref` names; None if it names none, or several."""
        if not is_ref(ref):
            return None
        # `^{commit}`: a tag leads to the commit that it names
        done = _run(
            self._git, self.top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
        )
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def find(self, commit: str, path: str) -> TreeEntry | None:
        """Return what is at `path` of a commit; None if there is nothing. No link is followed."""
        return next(self.entries(commit, recursive=False, under=path), None)

    def entries(self, tree: str, *, recursive: bool = True, under: str = "") -> Iterator[TreeEntry]:
        """Yield the entries of a tree or commit, sorted as git does; files only if `recursive`.

        Raises MissingObjectError; UnableError beyond MAX_ENTRIES and MAX_LISTED_BYTES: trees may contain each
        other, so that a small repository has any number of files.
        """
        words = ["ls-tree", "-z", "-l", "--full-tree", *(["-r"] if recursive else []), tree]
        for line in self._lines(*words, *(["--", under] if under else [])):
            meta, _, path = line.partition(b"\t")
            mode, kind, oid, size = meta.decode().split()
            # https://git-scm.com/docs/git-fast-import#_filemodify lists the modes
            is_link = mode == "120000"
            yield TreeEntry(
                path.decode("utf-8", "surrogateescape"),
                EntryKind.LINK if is_link else EntryKind(kind),
                oid,
                int(size) if kind == "blob" else 0,
            )

    def _lines(self, *words: str) -> Iterator[bytes]:
        """Yield what a command prints, line by line; lines end with NUL. Raises as `entries`."""
        with subprocess.Popen(
            [self._git, *_OPTIONS, *words],
            cwd=self.top,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            try:
                count, size, rest = 0, 0, b""
                while chunk := os.read(process.stdout.fileno(), _CHUNK):
                    *lines, rest = (rest + chunk).split(b"\0")
                    count, size = count + len(lines), size + len(chunk)
                    if count > MAX_ENTRIES or size > MAX_LISTED_BYTES:
                        message = f"the commit has more than {MAX_ENTRIES:,} files, or very long names"
                        raise UnableError("cannot-compare", message, "give a folder of specs: REF:PATH")
                    yield from lines
                said = process.stderr.read(_CHUNK)
                process.wait()
            finally:
                process.kill()  # it may still print
        if process.returncode > 0:
            raise MissingObjectError(_first_line(said))

    def read(self, oid: str) -> bytes:
        """Return the content of a file or commit. Raises `MissingObjectError`."""
        if self._objects is None:
            self._objects = subprocess.Popen(
                [self._git, *_OPTIONS, "cat-file", "--batch"],
                cwd=self.top,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._objects.stdin is not None
        assert self._objects.stdout is not None
        with suppress(BrokenPipeError):  # it ends where a partial clone lacks an object
            self._objects.stdin.write(f"{oid}\n".encode())
            self._objects.stdin.flush()
        found = self._objects.stdout.readline().split()  # hash, kind, size; or something else
        if len(found) != 3:
            raise MissingObjectError(f"the object {oid} is missing")
        content = self._objects.stdout.read(int(found[2]))
        self._objects.stdout.read(1)  # a line end
        return content

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
        done = _run(self._git, self.top, "rev-list", "--reverse", "--topo-order", end, f"^{start}")
        if done.returncode:
            raise MissingObjectError(_first_line(done.stderr))
        return done.stdout.decode().split()

    def date(self, commit: str) -> str:
        """Return the day in UTC on which a commit was made: "2026-11-22"."""
        found = _COMMITTER.search(self.read(commit))
        return datetime.fromtimestamp(int(found[1]), UTC).date().isoformat() if found else ""

    def fetch_command(self, ref: str) -> str | None:
        """Return the command that fetches what `ref` names; None if the repository has no remote."""
        remotes = _run(self._git, self.top, "remote").stdout.decode().split()
        if not remotes:
            return None
        remote = "origin" if "origin" in remotes else remotes[0]
        depth = ""
        if _run(self._git, self.top, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
            depth = " --unshallow"
        # a hash, and a name that is relative to another, mean something only where the history is complete
        if _SHA.fullmatch(ref) or re.search(r"[~^@:]|HEAD$", ref):
            return f"git fetch{depth} {remote}"
        if ref.startswith(f"{remote}/"):
            return f"git fetch{depth} {remote} {ref.removeprefix(f'{remote}/')}:refs/remotes/{ref}"
        return f"git fetch{depth} {remote} {f'tag {ref}' if _VERSION.fullmatch(ref) else f'{ref}:{ref}'}"

    def _refs(self, fields: tuple[str, ...], *patterns: str) -> Iterator[list[str]]:
        done = _run(self._git, self.top, "for-each-ref", f"--format={'%00'.join(fields)}", *patterns)
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            yield line.split("\0")


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
    done = _run(git, folder, "rev-parse", "--show-toplevel")
    if done.returncode == 0:
        return GitRepository(Path(os.fsdecode(done.stdout.removesuffix(b"\n"))), git)
    said = done.stderr.decode("utf-8", "replace")
    if "dubious ownership" in said:
        hint = _SAFE_DIRECTORY.search(said)
        raise UnableError(
            "cannot-compare", f"git does not read the repository of {folder}: another user owns it",
            hint[0] if hint else "",
        )  # fmt: skip
    return None


def _run(git: str, folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [git, *_OPTIONS, *words],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER}
    return {**kept, **_ENVIRONMENT}


def _first_line(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip().split("\n", 1)[0].removeprefix("fatal: ")
