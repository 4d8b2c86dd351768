"""The only door to the user's files: read, write all or nothing, cache."""

from toolgen.disk.cache import Cache, cache_folder
from toolgen.disk.create import create_files, read_text
from toolgen.disk.fault import UnableError
from toolgen.disk.find import find_configuration, find_project, find_root, repository
from toolgen.disk.generator import generator_id
from toolgen.disk.output import Ours, read_output, refuse_foreign, write
from toolgen.disk.project import FILE, PYPROJECT, TABLE, Project
from toolgen.disk.specs import read_specs
from toolgen.disk.targets import load_targets

__all__ = [
    "FILE",
    "PYPROJECT",
    "TABLE",
    "Cache",
    "Ours",
    "Project",
    "UnableError",
    "cache_folder",
    "create_files",
    "find_configuration",
    "find_project",
    "find_root",
    "generator_id",
    "load_targets",
    "read_output",
    "read_specs",
    "read_text",
    "refuse_foreign",
    "repository",
    "write",
]
