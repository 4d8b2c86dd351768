"""The project on disk: settings, specs, the output folder, the manifest, the cache.

Names are imported on first access: most commands need few of these modules.
"""

from typing import TYPE_CHECKING

from toolgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from toolgen.project.errors import UnableError, reason
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
    "errors": ("UnableError", "reason"),
    "files.atomic_write": ("create_files", "replace_files"),
    "files.reading": ("kind_of", "locate", "read_text"),
    "inputs.configuration": ("FILE", "PYPROJECT", "Project", "parse_toml"),
    "inputs.discovery": ("find_configuration", "find_project", "find_root"),
    "inputs.specs": ("read_project", "read_specs"),
    "inputs.target_templates": ("load_targets",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__getattr__ = lazy_names(__name__, _HOME)
