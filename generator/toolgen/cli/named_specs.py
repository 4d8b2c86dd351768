"""Specs that are named on the command line: those of a project, or files by themselves."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolgen.base.files import read_named
from toolgen.project import UnableError, find_configuration, find_root, reason
from toolgen.project.inputs.specs import too_large
from toolgen.schema.limits import BUDGET


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that are named outside of a project."""

    root: Path  # their common folder
    texts: dict[str, bytes]  # path below it → content


def project_root(start: str) -> Path | None:
    """Return the folder of the project at or above `start`; None if there is none."""
    root = Path(os.path.realpath(find_root(Path(start))))
    return None if find_configuration(root) is None else root


def select_specs(
    root: Path, start: str, files: Sequence[str], specs: str, known: Collection[str]
) -> list[str]:
    """Return the paths below `root` of the specs that are named; `known` has those of the project.

    Raises `UnableError` if one of them is no spec of the project.
    """
    paths = [_below(root, path) for path in _normalized(start, files)]
    if unknown := [path for path in paths if path not in known]:
        message = f"{unknown[0]} is no spec of this project"
        raise UnableError("unreadable-spec", message, f"specs are files of YAML below {specs}")
    return paths


def read_files(start: str, files: Sequence[str]) -> NamedFiles:
    """Read files that belong to no project."""
    paths = _normalized(start, files)
    root = Path(os.path.commonpath([path.parent for path in paths]))
    texts = {}
    for path in paths:
        try:
            texts[path.relative_to(root).as_posix()] = read_named(path, limit=BUDGET.spec_bytes)
        except OSError as error:
            message = f"cannot read {path.name}: {reason(error)}"
            raise UnableError("unreadable-spec", message, "check the path") from error
    return NamedFiles(root, texts)


def read_stdin() -> bytes:
    """Return a file from stdin. Raises `UnableError` if it is too large."""
    content = sys.stdin.buffer.read(BUDGET.spec_bytes + 1)
    if len(content) > BUDGET.spec_bytes:
        raise UnableError("too-complex", f"stdin has {too_large(len(content))}")
    return content


def _normalized(start: str, files: Sequence[str]) -> list[Path]:
    return [Path(os.path.normpath(Path(start).resolve() / file)) for file in files]


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
