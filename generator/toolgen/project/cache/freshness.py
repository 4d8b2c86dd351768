"""Freshness: whether the output is up to date, by hashes alone and without parsing a spec.

A run that compiled some inputs saves a record in the cache: these inputs, these options and this generator
make a manifest with this hash. If a later run finds a record for its inputs, that manifest, and every file as
the manifest has it, nothing needs to be done. Records are in the cache and not in the manifest, which would
otherwise change with every version of the generator, even if the generated code does not.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from toolgen.base.files import Entry, Folder
from toolgen.compile.output_changes import digest
from toolgen.language.diagnostic import Diagnostic, Sunset
from toolgen.project.cache.entries import user_cache
from toolgen.project.files.atomic_write import STAGE
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.specs import ReadProject
from toolgen.project.output.manifest import MAX_MANIFEST, NAME


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """The result of compiling some inputs."""

    manifest: str  # hash of the manifest's text
    tools: int
    files: int
    warnings: tuple[Diagnostic, ...] = ()
    sunsets: tuple[Sunset, ...] = ()


def find_up_to_date(read: ReadProject) -> BuildRecord | None:
    """Return what is known of a project whose output is up to date; else None."""
    record = _parse_record(user_cache().get(record_key(read)))
    return record if record is not None and _is_on_disk(read.project, record) else None


def record_key(read: ReadProject) -> str:
    """Return the cache key of these inputs. The generator is not part of it: each has a cache of its own."""
    project = read.project
    settings = asdict(project)
    for name in ("root", "file", "text"):
        del settings[name]
    content = ["fact", settings, project.package, dict(read.digests), _templates(project)]
    return sha256(json.dumps(content).encode()).hexdigest()


def save_record(key: str, record: BuildRecord, cache: MutableMapping[str, bytes]) -> None:
    """Store the result of compiling the inputs with this key."""
    warnings = [warning.as_data() for warning in record.warnings]
    sunsets = [[each.day, each.error.as_data()] for each in record.sunsets]
    entry = {"manifest": record.manifest, "tools": record.tools, "files": record.files}
    cache[key] = json.dumps({**entry, "warnings": warnings, "sunsets": sunsets}).encode()


def _parse_record(data: bytes | None) -> BuildRecord | None:
    try:
        entry = json.loads(data or b"")
        entry["warnings"] = tuple(map(Diagnostic.of_data, entry["warnings"]))
        entry["sunsets"] = tuple(Sunset(day, Diagnostic.of_data(error)) for day, error in entry["sunsets"])
        return BuildRecord(**entry)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _is_on_disk(project: Project, record: BuildRecord) -> bool:
    """True if all generated files are on disk as `record` says."""
    try:
        folder = Folder(project.root).below(project.output)
        manifest = folder.read(NAME, links=False, limit=MAX_MANIFEST)
        if digest(manifest) != record.manifest or folder.kind(STAGE, links=False) is not None:
            return False  # or a killed run left its stage behind
        return all(
            digest(folder.read(path, links=False)) == output["sha256"]
            for path, output in json.loads(manifest)["outputs"].items()
        )
    except OSError:
        return False


def _templates(project: Project) -> dict[str, str]:
    """Return path → hash of every file in the project's own templates folder."""
    if project.templates is None:
        return {}
    try:
        folder = Folder(project.root).below(project.templates)
        return {entry.path: _digest(folder, entry) for entry in folder.walk()}
    except OSError:
        return {}


def _digest(folder: Folder, entry: Entry) -> str:
    """Return the hash of a file; empty if it cannot be read, which loading the templates reports."""
    try:
        return digest(folder.read(entry.path))
    except OSError:
        return ""
