"""The project on disk: settings, specs, the output folder, the manifest, the cache.

Names are imported on first access: most commands need few of these modules.
"""

from typing import TYPE_CHECKING

from toolgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from toolgen.project.cache.entries import Cache, cache_folder, prune
    from toolgen.project.cache.freshness import (
        BuildRecord,
        find_up_to_date,
        record_key,
        save_record,
    )
    from toolgen.project.cache.toolchain import TOOLCHAIN, generator_id, versions
    from toolgen.project.errors import UnableError, reason
    from toolgen.project.files.atomic_write import create_files, replace_files
    from toolgen.project.files.reading import kind_of, locate, names_in, read_text
    from toolgen.project.inputs.configuration import FILE, PYPROJECT, TABLE, Project, parse_toml
    from toolgen.project.inputs.discovery import find_configuration, find_project, find_root, repository
    from toolgen.project.inputs.specs import ReadProject, find_specs, read_project, read_specs
    from toolgen.project.inputs.target_templates import load_targets
    from toolgen.project.output.folder import ExistingOutput, read_output, refuse_foreign, write

__all__ = [
    "FILE",
    "PYPROJECT",
    "TABLE",
    "TOOLCHAIN",
    "BuildRecord",
    "Cache",
    "ExistingOutput",
    "Project",
    "ReadProject",
    "UnableError",
    "cache_folder",
    "create_files",
    "find_configuration",
    "find_project",
    "find_root",
    "find_specs",
    "find_up_to_date",
    "generator_id",
    "kind_of",
    "load_targets",
    "locate",
    "names_in",
    "parse_toml",
    "prune",
    "read_output",
    "read_project",
    "read_specs",
    "read_text",
    "reason",
    "record_key",
    "refuse_foreign",
    "replace_files",
    "repository",
    "save_record",
    "versions",
    "write",
]

_HOMES = {
    "cache.entries": ("Cache", "cache_folder", "prune"),
    "cache.freshness": ("BuildRecord", "find_up_to_date", "record_key", "save_record"),
    "cache.toolchain": ("TOOLCHAIN", "generator_id", "versions"),
    "errors": ("UnableError", "reason"),
    "files.atomic_write": ("create_files", "replace_files"),
    "files.reading": ("kind_of", "locate", "names_in", "read_text"),
    "inputs.discovery": ("find_configuration", "find_project", "find_root", "repository"),
    "inputs.configuration": ("FILE", "PYPROJECT", "TABLE", "Project", "parse_toml"),
    "inputs.specs": ("ReadProject", "find_specs", "read_project", "read_specs"),
    "inputs.target_templates": ("load_targets",),
    "output.folder": ("ExistingOutput", "read_output", "refuse_foreign", "write"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__getattr__ = lazy_names(__name__, _HOME)
