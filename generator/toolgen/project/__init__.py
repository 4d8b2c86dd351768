"""The project on disk: settings, specs, the output folder, the manifest, the cache.

Names are imported on first access: most commands need few of these modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.project.atomic_write import create_files, replace_files
    from toolgen.project.cache import Cache, cache_folder, prune
    from toolgen.project.discovery import find_configuration, find_project, find_root, repository
    from toolgen.project.errors import UnableError, reason
    from toolgen.project.files import read_text
    from toolgen.project.freshness import BuildRecord, UpToDate, find_up_to_date, record_key, save_record
    from toolgen.project.output import ExistingOutput, read_output, refuse_foreign, write
    from toolgen.project.settings import FILE, PYPROJECT, TABLE, Project
    from toolgen.project.specs import read_specs
    from toolgen.project.targets import load_targets
    from toolgen.project.temporary_folder import use_temporary_folder
    from toolgen.project.toolchain import TOOLCHAIN, generator_id, versions

__all__ = [
    "FILE",
    "PYPROJECT",
    "TABLE",
    "TOOLCHAIN",
    "BuildRecord",
    "Cache",
    "ExistingOutput",
    "Project",
    "UnableError",
    "UpToDate",
    "cache_folder",
    "create_files",
    "find_configuration",
    "find_project",
    "find_root",
    "find_up_to_date",
    "generator_id",
    "load_targets",
    "prune",
    "read_output",
    "read_specs",
    "read_text",
    "reason",
    "record_key",
    "refuse_foreign",
    "replace_files",
    "repository",
    "save_record",
    "use_temporary_folder",
    "versions",
    "write",
]

_HOMES = {
    "atomic_write": ("create_files", "replace_files"),
    "cache": ("Cache", "cache_folder", "prune"),
    "discovery": ("find_configuration", "find_project", "find_root", "repository"),
    "errors": ("UnableError", "reason"),
    "files": ("read_text",),
    "freshness": ("BuildRecord", "UpToDate", "find_up_to_date", "record_key", "save_record"),
    "output": ("ExistingOutput", "read_output", "refuse_foreign", "write"),
    "settings": ("FILE", "PYPROJECT", "TABLE", "Project"),
    "specs": ("read_specs",),
    "targets": ("load_targets",),
    "temporary_folder": ("use_temporary_folder",),
    "toolchain": ("TOOLCHAIN", "generator_id", "versions"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"toolgen.project.{_HOME[name]}"), name)
    globals()[name] = value
    return value
