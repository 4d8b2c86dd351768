"""The JSON Schema by which editors check specs: a file in the specs folder, in projects that have it."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Final

from toolgen.base.files import FileKind
from toolgen.compile.output_changes import digest, with_lf
from toolgen.language.changes import Change, ChangeKind
from toolgen.project.files.reading import kind_of, read_text
from toolgen.project.inputs.configuration import Project

NAME: Final = ".toolgen.schema.json"
_KEY: Final = "editor-schema"  # of the current text's hash in the cache, which belongs to this version


def schema_text() -> str:
    """Return the text of the file."""
    from toolgen.language.reading.editor_schema import editor_schema

    return json.dumps(editor_schema(), indent=2, ensure_ascii=False) + "\n"


def find_outdated_schema(project: Project, cache: MutableMapping[str, bytes]) -> Change | None:
    """Return how the file would change, of a project that has it from another version of toolgen."""
    path = f"{project.specs}/{NAME}".removeprefix("./")
    if kind_of(project.root, path) is not FileKind.FILE:
        return None
    before = read_text(project.root, path) or ""
    # making the text takes as long as all else that an up-to-date project needs
    if cache.get(_KEY) == digest(before).encode():
        return None
    after = schema_text()
    cache[_KEY] = digest(after).encode()
    return None if with_lf(before) == after else Change(ChangeKind.CHANGED, path, before, after)
