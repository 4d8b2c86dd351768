"""Write a page or Markdown to a folder that the user names, all files or none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from toolgen.documenting.site import INDEX, MARK
from toolgen.project import UnableError, read_text, replace_files


def write_site(out: str, start: str, files: Mapping[str, str]) -> None:
    """Write the files of a page to the folder `out`. Raises `UnableError` if another page is there."""
    folder = Path(os.path.normpath(Path(start, out)))
    there = read_text(folder, INDEX) if folder.is_dir() else None
    if there is not None and MARK not in there:
        hint = "give an empty folder, or remove it"
        raise UnableError("file-exists", f"{out}/{INDEX} exists, and `toolgen docs` has not written it", hint)
    replace_files(folder, files)
