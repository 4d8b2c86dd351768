"""Find the generated package of a command that runs tools: named, or the project's."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, chdir
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from toolgen.base.files import FileKind
from toolgen.base.suggestions import count
from toolgen.cli.output import say
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import (
    Project,
    UnableError,
    find_configuration,
    find_project,
    find_root,
    kind_of,
    read_specs,
    read_text,
)

_PACKAGE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")

_MAX_COMPARED = 200  # specs, which take about 4 ms; a command that runs tools should not wait for more

SERVER_HINT = (
    "run `toolgen generate` with the target mcp, or name the generated package: toolgen serve PACKAGE"
)


class GeneratedPackage(NamedTuple):
    """A generated package, and the folder that it is imported from."""

    name: str
    folder: Path

    def module(self, name: str, hint: str) -> Any:
        """Import a module of the package. Raises `UnableError` with a hint if there is none."""
        full_name = f"{self.name}.{name}"
        try:
            found = _PACKAGE.fullmatch(self.name) is not None and find_spec(full_name) is not None
        except (ModuleNotFoundError, ValueError) as error:
            # another module that is missing is an error of the code, and keeps its traceback
            if isinstance(error, ModuleNotFoundError) and not f"{full_name}.".startswith(f"{error.name}."):
                raise
            found = False
        if not found:
            raise UnableError("not-generated", f"there is no module {full_name} in {self.folder}", hint)
        return import_module(full_name)


def add_package(parser: argparse.ArgumentParser) -> None:
    """Add the argument PACKAGE."""
    about = "the generated package, for example shop.generated (default: the project's)"
    parser.add_argument("package", nargs="?", metavar="PACKAGE", help=about)


def find_package(
    start: str, name: str | None, prepare: Callable[[Project], None] | None = None
) -> GeneratedPackage:
    """Return the package `name`, or that of the project, and let it be imported. Raises `UnableError`.

    `prepare` is called with the project whose package it is; without it, warn of specs that changed.
    """
    folder = Path(os.path.realpath(start))
    if not folder.is_dir():
        raise UnableError("usage", f"{start} is not a folder")
    # a deployment may hold only the generated package and its implementations
    if name is None or find_configuration(find_root(folder)):
        project = find_project(folder)
        if name in (None, project.package):
            (prepare or warn_of_edited_specs)(project)
        name, folder = name or project.package, project.import_root
    sys.path.insert(0, str(folder))
    return GeneratedPackage(name, folder)


def warn_of_edited_specs(project: Project) -> None:
    """Warn if the code that will run was generated from other specs than those in the folder.

    Says nothing of a project without specs or manifest, such as a deployment, or with very many specs.
    """
    if edited := edited_specs(project):
        what, them = (edited[0], "it") if len(edited) == 1 else (count(len(edited), "spec"), "them")
        say(f"warning: {what} changed after `toolgen generate`: run that again to use {them}", always=True)


def edited_specs(project: Project) -> list[str]:
    """Return the specs that changed since the code was generated; none, if that is not known."""
    try:
        if kind_of(project.root, project.specs, links=True) is not FileKind.FOLDER:
            return []
        from toolgen.compile.output_changes import digest
        from toolgen.project.output.manifest import MAX_MANIFEST, NAME, parse_manifest

        text = read_text(project.root, f"{project.output}/{NAME}", limit=MAX_MANIFEST)
        manifest = parse_manifest(text or "")
        if manifest is None or len(manifest.inputs) > _MAX_COMPARED:
            return []
        found = read_specs(project)
    except (UnableError, SpecErrors):
        return []
    recorded = manifest.inputs
    present = {f"{project.specs}/{path}": digest(content) for path, content in found.items()}
    return sorted(path for path in {*recorded, *present} if recorded.get(path) != present.get(path))


def working_folder(args: argparse.Namespace) -> AbstractContextManager[None]:
    """Return the context in which the project's code runs: the folder of `-C`, as if started there."""
    return chdir(args.start)
