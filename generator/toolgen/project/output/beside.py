"""Files beside the output folder: the section of `AGENTS.md`, and the schema by which editors check specs.

The target `agents` writes the section; all else in that file is the project's.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Final

from toolgen.base.files import FileKind
from toolgen.compile.output_changes import digest, with_lf
from toolgen.language.changes import Change, ChangeKind
from toolgen.project import UnableError
from toolgen.project.files.reading import kind_of, read_text
from toolgen.project.inputs.configuration import Project

FILE: Final = "AGENTS.md"  # of the project, and of the output folder, where the section is generated
TARGET: Final = "agents"
BEGIN: Final = "<!-- toolgen: begin. `toolgen generate` replaces what is between these lines. -->"
END: Final = "<!-- toolgen: end -->"


def find_outdated_section(project: Project) -> Change | None:
    """Return how `AGENTS.md` would change for the section that was generated last; None if it would not.

    Raises `UnableError` if one of the two lines that enclose the section is missing or repeated.
    """
    wanted = TARGET in (project.targets or ())
    try:
        before = read_text(project.root, FILE)
    except UnableError:
        if wanted:
            raise
        return None  # not our matter
    text = with_lf(before or "")
    markers = text.count(BEGIN), text.count(END)
    found = _section(text)
    if markers not in ((0, 0), (1, 1)) or (markers == (1, 1) and found is None):
        message = f"{FILE} must have the two lines of toolgen's section once each, in their order"
        hint = f"remove the lines `{BEGIN}` and `{END}`; `toolgen generate` adds them again"
        raise UnableError("agents-section", message, hint)
    section = read_text(project.root, f"{project.output}/{FILE}") if wanted else ""
    if section is None:  # not generated yet, which is reported by itself
        return None
    enclosed = f"{BEGIN}\n{with_lf(section)}{END}\n" if wanted else ""
    if found is not None:
        after = text[: found.start] + enclosed + text[found.stop :]
    else:
        gap = "" if not text or not enclosed else "\n" if text.endswith("\n") else "\n\n"
        after = text + gap + enclosed
    if after == text:
        return None
    if not after.strip():
        return Change(ChangeKind.EXTRA, FILE, before, None)
    if kind_of(project.root, FILE) is FileKind.LINK:
        hint = "put the file itself there, and the link where it leads"
        raise UnableError("agents-section", f"{FILE} is a link, which toolgen does not replace", hint)
    kind = ChangeKind.MISSING if before is None else ChangeKind.CHANGED
    return Change(kind, FILE, before, after.replace("\n", "\r\n") if "\r\n" in (before or "") else after)


def _section(text: str) -> slice | None:
    """Return where the section is, with the lines that enclose it; None if it is not there as a whole."""
    start = f"\n{text}".find(f"\n{BEGIN}\n")
    end = text.find(f"\n{END}", start + len(BEGIN)) if start >= 0 else -1
    if end < 0:
        return None
    stop = end + 1 + len(END)
    return slice(start, stop + 1 if text[stop : stop + 1] == "\n" else stop)


SCHEMA: Final = ".toolgen.schema.json"
_KEY: Final = "editor-schema"  # of the current text's hash in the cache, which belongs to this version


def schema_text() -> str:
    """Return the text of the file."""
    from toolgen.language.reading.editor_schema import editor_schema  # only if it is written

    return json.dumps(editor_schema(), indent=2, ensure_ascii=False) + "\n"


def find_outdated_schema(project: Project, cache: MutableMapping[str, bytes]) -> Change | None:
    """Return how the file would change, of a project that has it from another version of toolgen."""
    path = f"{project.specs}/{SCHEMA}".removeprefix("./")
    if kind_of(project.root, path) is not FileKind.FILE:
        return None
    before = read_text(project.root, path) or ""
    # making the text takes as long as all else that an up-to-date project needs
    if cache.get(_KEY) == digest(before).encode():
        return None
    after = schema_text()
    cache[_KEY] = digest(after).encode()
    return None if with_lf(before) == after else Change(ChangeKind.CHANGED, path, before, after)
