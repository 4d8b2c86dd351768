"""The project on disk: settings, specs, the output folder, the manifest, the cache.

Errors are defined here. Other names are imported on first access: most commands need few of these modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from toolgen.project.files.atomic_write import create_files, replace_files
    from toolgen.project.files.reading import kind_of, locate, read_text
    from toolgen.project.inputs.configuration import FILE, PYPROJECT, Project, parse_toml
    from toolgen.project.inputs.discovery import find_configuration, find_project, find_root
    from toolgen.project.inputs.specs import read_project, read_specs
    from toolgen.project.inputs.target_templates import load_targets

__all__ = [
    "FILE",
    "PYPROJECT",
    "Project",
    "UnableError",
    "create_files",
    "find_configuration",
    "find_project",
    "find_root",
    "kind_of",
    "load_targets",
    "locate",
    "parse_toml",
    "read_project",
    "read_specs",
    "read_text",
    "reason",
    "replace_files",
]

_HOMES = {
    "files.atomic_write": ("create_files", "replace_files"),
    "files.reading": ("kind_of", "locate", "read_text"),
    "inputs.configuration": ("FILE", "PYPROJECT", "Project", "parse_toml"),
    "inputs.discovery": ("find_configuration", "find_project", "find_root"),
    "inputs.specs": ("read_project", "read_specs"),
    "inputs.target_templates": ("load_targets",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__getattr__ = lazy_names(__name__, _HOME)


class UnableError(Exception):
    """toolgen could not do what it was asked to, and the cause is outside of it: exit code 2.

    `code` is a key of `toolgen.language.codes.CODES`; an error with a place in a file is a `SpecErrors`.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code = code
        self.message = message  # one sentence that names the file, flag or setting
        self.hint = hint  # what to do
        super().__init__(message)


def reason(error: OSError) -> str:
    """Return the operating system's explanation, without its number."""
    return (error.strerror or type(error).__name__).lower()
