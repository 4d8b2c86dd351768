"""Write a page or Markdown to a folder that the user names, all files or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from toolgen.documenting.markdown import MARKDOWN_MARK, markdown_files
from toolgen.documenting.site import INDEX, MARK, static_site
from toolgen.project import UnableError, read_text, replace_files
from toolgen.schema.document import JsonObject


def write_site(out: str, start: str, document: JsonObject) -> None:
    """Write the page of a catalogue to the folder `out`. Raises `UnableError` if another page is there."""
    _write(out, start, static_site(document), INDEX, MARK)


def write_markdown(out: str, start: str, document: JsonObject) -> None:
    """Write a catalogue as Markdown to the folder `out`. Raises `UnableError` if other files are there."""
    _write(out, start, markdown_files(document), "index.md", MARKDOWN_MARK)


def _write(out: str, start: str, files: Mapping[str, str], first: str, mark: str) -> None:
    folder = Path(os.path.normpath(Path(start, out)))
    there = read_text(folder, first) if folder.is_dir() else None
    if there is not None and mark not in there:
        hint = "give an empty folder, or remove it"
        raise UnableError("file-exists", f"{out}/{first} exists, and `toolgen docs` has not written it", hint)
    replace_files(folder, files)
