"""The page as static files, which work from `file://` and from any web server; how `docs` writes a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from toolgen.base.files import DeclaredFolder
from toolgen.project import UnableError, find_root, locate, read_text, replace_files
from toolgen.schema.document import JsonObject

INDEX: Final = "index.html"
MARK: Final = '<meta name="generator" content="toolgen docs">'
"""In every `index.html` that toolgen has written."""

_FILES: Final = {
    INDEX: "page.html",
    "page.js": "page.js",
    "page.css": "page.css",
    "LICENSES.txt": "LICENSES.txt",
}
"""Name in the output → name in the bundle, which `make explorer` builds from `explorer/`."""


@cache
def bundle() -> Mapping[str, str]:
    """Return the files that are the same for every project: name → text."""
    folder = DeclaredFolder(Path(__file__).parent / "page")
    return {name: folder.read(file).decode() for name, file in _FILES.items()}


def static_site(document: JsonObject) -> dict[str, str]:
    """Return the files of a page that shows a catalogue: name → text."""
    return {**bundle(), "data.js": data_script({"catalogue": document})}


def data_script(data: JsonObject) -> str:
    """Return the classic script that gives the page its data; `file://` pages cannot read JSON.

    The text is parsed as JSON: in a literal of JavaScript, a key `__proto__` would set the prototype.
    """
    return f"globalThis.toolgenDocs = JSON.parse({json.dumps(json.dumps(data, allow_nan=False))});\n"


def write_site(out: str, start: str, document: JsonObject) -> None:
    """Write the page of a catalogue to the folder `out`, all files or none.

    Raises `UnableError` if there is a page that toolgen has not written.
    """
    place = locate(find_root(Path(start)), Path(start), out)
    there = read_text(place.root, place.with_name(INDEX))
    if there is not None and MARK not in there:
        hint = "give an empty folder, or remove it"
        raise UnableError("file-exists", f"{out}/{INDEX} exists, and `toolgen docs` has not written it", hint)
    replace_files(place.root, static_site(document), below=place.path)
