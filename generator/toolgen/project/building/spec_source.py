"""The specs to use: those of a project, of a folder without a configuration, or a single one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import read
from toolgen.language.spec import is_shared_file
from toolgen.project import FILE, Project, UnableError, find_configuration, find_project, read_specs
from toolgen.project.files.reading import names_in
from toolgen.project.inputs.specs import SUFFIXES


@dataclass(frozen=True, slots=True)
class SpecSource:
    """A project, and which of its specs are used. Without a configuration, the defaults apply."""

    project: Project
    only: str = ""  # path of a spec or a folder below the specs folder; empty: all
    is_configured: bool = True  # False: there is no configuration file

    @property
    def folder(self) -> Path:
        """The specs folder."""
        return self.project.root / self.project.specs

    @property
    def prefix(self) -> str:
        """The folder that is shown before the path of a spec."""
        return f"{self.project.specs}/"

    def texts(self) -> Mapping[str, bytes]:
        """Return the specs that are used, and the shared files. Raises as `read_specs` does.

        Of a single spec, the other ones need not be valid.
        """
        texts = read_specs(self.project)
        if not self.only:
            return texts
        chosen = {
            path: text
            for path, text in texts.items()
            if path == self.only or path.startswith(f"{self.only}/")
        }
        if not chosen:
            raise UnableError("no-specs", f"there is no spec in {self.prefix}{self.only}")
        others = {path: text for path, text in texts.items() if path not in chosen}
        return {**chosen, **{path: text for path, text in others.items() if _is_shared(path, text)}}


def find_specs(path: str | PathLike[str]) -> SpecSource:
    """Return the specs at `path`: a project or a folder in it, a folder of specs, or one spec.

    Raises `UnableError` if there are none, `SpecErrors` for a configuration that is not valid.
    """
    place = Path(os.path.realpath(path))  # `resolve` would raise for a circle of links
    if not place.exists():
        raise UnableError("no-specs", f"there is no {path}", "name a project, a folder of specs, or a spec")
    folder = place if place.is_dir() else place.parent
    project = project_at(folder)
    if project is None:
        return _unconfigured(place, folder)
    specs = Path(os.path.realpath(project.root / project.specs))
    if place.is_relative_to(specs):
        below = place.relative_to(specs).as_posix()
        return SpecSource(project, "" if below == "." else below)
    if place.is_dir() and (
        find_configuration(place) or not any(name.endswith(SUFFIXES) for name in names_in(place, ""))
    ):
        return SpecSource(project)
    return _unconfigured(place, folder)


def project_at(folder: Path) -> Project | None:
    """Return the project at or above a folder; None if there is none."""
    try:
        return find_project(folder)
    except UnableError as error:
        if error.code != "no-configuration":
            raise
        return None


def _unconfigured(place: Path, folder: Path) -> SpecSource:
    """Return the specs at `place` in `folder`, of a project with the defaults."""
    project = Project(root=folder.parent, file=FILE, text="", specs=folder.name or ".")
    project = replace(project, server_name="toolgen")
    return SpecSource(project, "" if place.is_dir() else place.name, is_configured=False)


def _is_shared(path: str, text: bytes) -> bool:
    """True for a file of shared schemas; False for a tool, and for a file that cannot be read."""
    try:
        return is_shared_file(read({path: text})[0].data)
    except SpecErrors:
        return False
