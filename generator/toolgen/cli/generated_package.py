"""Find the generated package of a command that runs tools: named, or the project's."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from toolgen.project import UnableError, find_configuration, find_project, find_root

_PACKAGE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


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


def find_package(start: str, name: str | None) -> GeneratedPackage:
    """Return the package `name`, or that of the project, and let it be imported. Raises `UnableError`."""
    folder = Path(os.path.realpath(start))
    if not folder.is_dir():
        raise UnableError("usage", f"{start} is not a folder")
    # a deployment may hold only the generated package and its implementations
    if name is None or find_configuration(find_root(folder)):
        project = find_project(folder)
        name, folder = name or project.package, project.import_root
    sys.path.insert(0, str(folder))
    return GeneratedPackage(name, folder)
