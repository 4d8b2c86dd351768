"""The only door to the user's files: read, write all or nothing, cache.

Each name is imported when it is first asked for: most commands go through one corner of this door.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.project.cache import Cache, cache_folder
    from toolgen.project.create import create_files, read_text
    from toolgen.project.fault import UnableError
    from toolgen.project.find import find_configuration, find_project, find_root, repository
    from toolgen.project.freshness import Fact, fact_key, fresh, learn
    from toolgen.project.generator import TOOLCHAIN, generator_id, versions
    from toolgen.project.output import Ours, read_output, refuse_foreign, write
    from toolgen.project.project import FILE, PYPROJECT, TABLE, Project
    from toolgen.project.prune import prune
    from toolgen.project.scratch import scratch
    from toolgen.project.specs import read_specs
    from toolgen.project.targets import load_targets

__all__ = [
    "FILE",
    "PYPROJECT",
    "TABLE",
    "TOOLCHAIN",
    "Cache",
    "Fact",
    "Ours",
    "Project",
    "UnableError",
    "cache_folder",
    "create_files",
    "fact_key",
    "find_configuration",
    "find_project",
    "find_root",
    "fresh",
    "generator_id",
    "learn",
    "load_targets",
    "prune",
    "read_output",
    "read_specs",
    "read_text",
    "refuse_foreign",
    "repository",
    "scratch",
    "versions",
    "write",
]

_HOMES = {
    "cache": ("Cache", "cache_folder"),
    "create": ("create_files", "read_text"),
    "fault": ("UnableError",),
    "find": ("find_configuration", "find_project", "find_root", "repository"),
    "freshness": ("Fact", "fact_key", "fresh", "learn"),
    "generator": ("TOOLCHAIN", "generator_id", "versions"),
    "output": ("Ours", "read_output", "refuse_foreign", "write"),
    "project": ("FILE", "PYPROJECT", "TABLE", "Project"),
    "prune": ("prune",),
    "scratch": ("scratch",),
    "specs": ("read_specs",),
    "targets": ("load_targets",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"toolgen.project.{_HOME[name]}"), name)
    globals()[name] = value
    return value
