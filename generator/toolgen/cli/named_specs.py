"""Specs of a project that are named on the command line."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from toolgen.project import Project, UnableError


def select_specs(project: Project, start: str, files: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the paths below the project's folder of the specs in `files`; `known` has those of all.

    Raises `UnableError` if one of them is no spec of the project.
    """
    paths = [Path(os.path.normpath(Path(start).resolve() / file)) for file in files]
    below = [
        path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)
        for path in paths
    ]
    if unknown := [path for path in below if path not in known]:
        message = f"{unknown[0]} is no spec of this project"
        raise UnableError("unreadable-spec", message, f"specs are files of YAML below {project.specs}")
    return below
