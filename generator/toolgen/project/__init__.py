"""The project on disk: settings, specs, the output folder, the manifest, the cache.

Errors are defined here. Other names are imported on first access: most commands need few of these modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from toolgen.project.files.atomic_write import create_files as create_files
    from toolgen.project.files.atomic_write import replace_files as replace_files
    from toolgen.project.files.reading import kind_of as kind_of
    from toolgen.project.files.reading import locate as locate
    from toolgen.project.files.reading import read_text as read_text
    from toolgen.project.inputs.configuration import FILE as FILE
    from toolgen.project.inputs.configuration import PYPROJECT as PYPROJECT
    from toolgen.project.inputs.configuration import Project as Project
    from toolgen.project.inputs.configuration import parse_toml as parse_toml
    from toolgen.project.inputs.discovery import find_configuration as find_configuration
    from toolgen.project.inputs.discovery import find_project as find_project
    from toolgen.project.inputs.discovery import find_root as find_root
    from toolgen.project.inputs.specs import read_project as read_project
    from toolgen.project.inputs.specs import read_specs as read_specs
    from toolgen.project.inputs.target_templates import load_targets as load_targets

_HOMES = {
    "files.atomic_write": ("create_files", "replace_files"),
    "files.reading": ("kind_of", "locate", "read_text"),
    "inputs.configuration": ("FILE", "PYPROJECT", "Project", "parse_toml"),
    "inputs.discovery": ("find_configuration", "find_project", "find_root"),
    "inputs.specs": ("read_project", "read_specs"),
    "inputs.target_templates": ("load_targets",),
}

__getattr__ = lazy_names(__name__, _HOMES)


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
