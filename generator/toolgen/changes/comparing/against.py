"""Find out what `--against` names: a commit, a folder, a file, a server or a command.

A name that is both a ref and a file or folder is taken for the ref, as `git checkout` does.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.project import UnableError
from toolgen.project.files.git import GitRepository, is_ref, open_repository
from toolgen.project.inputs.revision import CommitName
from toolgen.sources.mcp_client.source_argument import CommandWords, ServerSource, exists, read_source

STDIN = "-"
EXPECTED = "give a git ref, a folder, a file that `toolgen export` printed, a URL, or a command after `--`"


@dataclass(frozen=True, slots=True)
class AtCommit:
    """A commit, or a path in it."""

    repository: GitRepository
    commit: CommitName
    path: str | None = None  # None: where the project was
    note: str = ""  # for the user: that another meaning was not chosen


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file or a folder."""

    path: Path
    shown: str


def find_against(text: str, start: str) -> AtCommit | OnDisk | ServerSource:
    """Return what `text` names, for a command that was started in `start`. Raises `UnableError`."""
    if text == STDIN:
        return OnDisk(Path(STDIN), "stdin")
    if not text.strip() or text.startswith("-"):
        raise UnableError("cannot-compare", f"{quoted(text)} names nothing to compare with", EXPECTED)
    source = read_source(text, start)
    if isinstance(source, ServerSource) and (isinstance(text, CommandWords) or not source.is_command):
        return source
    on_disk = OnDisk(source, text) if isinstance(source, Path) else source
    is_there = exists(Path(start, text))
    # As in git, `./name` says that a path is meant where a ref has the same name.
    looks_like_path = text.startswith(("/", "./", "../", "~")) or text in (".", "..") or text.endswith("/")
    if looks_like_path and is_there:
        return on_disk
    found = _at_commit(text, start, exists=is_there)
    if found is not None:
        return found
    if is_there or len(text.split()) > 1 or shutil.which(text) is not None:
        return on_disk
    raise _nothing(text, start)  # rather a ref of another clone than a command that is not installed


def find_commit(ref: str, start: str) -> AtCommit:
    """Return the commit that `ref` names. Raises `UnableError`."""
    found = None if ref.startswith("-") else _at_commit(ref, start, exists=False)
    if found is None or found.path is not None:
        raise _nothing(ref, start)
    return found


def _at_commit(text: str, start: str, *, exists: bool) -> AtCommit | None:
    repository = open_repository(_folder(start)) if is_ref(text) else None
    if repository is None:
        return None
    if oid := repository.commit(text):
        note = f"{text} is a git ref and a file or folder; the ref is compared with (./{text}: the other)"
        return AtCommit(repository, CommitName(oid, text), None, note if exists else "")
    ref, colon, path = text.partition(":")
    if not colon or exists or not (oid := repository.commit(ref)):
        return None
    return AtCommit(repository, CommitName(oid, ref), path)


def _nothing(text: str, start: str) -> UnableError:
    """Return the error for a name that is neither a ref nor a path, with the command that fetches the ref."""
    repository = open_repository(_folder(start)) if is_ref(text) else None
    if repository is None:
        message = f"there is no file or folder {quoted(text)}, and this is not a git repository"
        return UnableError("cannot-compare", message, EXPECTED)
    ref = text.partition(":")[0] or text
    message = f"there is no commit {quoted(ref)} in this clone, and no file or folder of that name"
    near = did_you_mean(ref, repository.ref_names())
    command = repository.fetch_command()
    hint = near or EXPECTED
    if command is not None and not ref.endswith((".json", ".jsonl", ".yaml", ".yml")):
        hint = f"run `{command}`; branches are then called `origin/NAME`{f'; {near}' if near else ''}"
    return UnableError("cannot-compare", message, hint)


def _folder(start: str) -> Path:
    folder = Path(start)
    if not folder.is_dir():
        raise UnableError("no-configuration", f"{start} is not a folder")
    return folder
