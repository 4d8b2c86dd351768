"""Declared inputs: what an action of a build system may read.

Paths are taken as they are written: no link is resolved and no folder is listed, so that a sandbox made of
links is as good as the place that they lead to. What was read is told, for the dependency file.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from toolgen.compile.parse import SHARED_KEYS
from toolgen.compile.read import read
from toolgen.data.diagnostic import SpecErrors
from toolgen.project.fault import UnableError, reason
from toolgen.schema.document import subschemas

_NOT_HERE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:|$")  # a `$ref` to elsewhere, or into its own file


def read_file(path: str) -> bytes:
    """A declared input; `UnableError` where it is not there, or no file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnableError("unreadable-file", f"{path} is not a file")
        return Path(path).read_bytes()
    except OSError as error:
        raise UnableError("unreadable-file", f"cannot read {path}: {reason(error)}") from error


def path_below(file: str, root: str) -> str:
    """`file` as a posix path below `root`, both as they are written; `UnableError` where it is not below."""
    below = os.path.relpath(file, root).replace(os.sep, "/")
    if below == "." or below.split("/")[0] == ".." or not below.isprintable():
        raise UnableError(
            "usage", f"{file} is not below {root}", "name a folder above it with --include-root"
        )
    return below


def read_closure(path: str, root: str) -> tuple[dict[str, bytes], list[str]]:
    """The spec at `path` below `root` and the shared files that it refers to; and all that was read for it.

    A reference to what is not there, or is no shared file, is left for `resolve` to refuse at its place.
    """
    texts = {path: read_file(os.path.join(root, path))}
    seen, todo = {path}, [path]
    while todo:
        for found in _references(todo.pop(), texts):
            if found in seen or not os.path.exists(os.path.join(root, found)):
                continue
            seen.add(found)
            text = read_file(os.path.join(root, found))
            if _may_be_shared(found, text):
                texts[found] = text
                todo.append(found)
    return texts, [os.path.join(root, name) for name in sorted(seen)]


def _references(path: str, texts: Mapping[str, bytes]) -> Iterator[str]:
    """The files that one spec refers to, below the folder of all."""
    data = _data(path, texts[path])
    if not isinstance(data, dict):
        return
    stream, definitions = data.get("stream"), data.get("$defs")
    chunk = stream.get("chunk_schema") if isinstance(stream, dict) else None
    shared = definitions.values() if isinstance(definitions, dict) else ()
    for schema in (data.get("input_schema"), data.get("output_schema"), chunk, *shared):
        for _, part in subschemas(schema):
            ref = part.get("$ref")
            written = ref.partition("#")[0] if isinstance(ref, str) else ""
            if not _NOT_HERE.match(written) and "\0" not in unquote(written):
                found = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(written)))
                if found.split("/")[0] != "..":
                    yield found


def _may_be_shared(path: str, text: bytes) -> bool:
    """A tool is not for others to refer to; what cannot be read at all is for `read` to refuse."""
    data = _data(path, text)
    return not isinstance(data, dict) or data.keys() <= SHARED_KEYS


def _data(path: str, text: bytes) -> object:
    try:
        return read({path: text})[0].data
    except SpecErrors:
        return None


def files_below(folder: str) -> list[str]:
    """Every file in a declared folder, sorted."""
    return sorted(os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)


def dependencies(outputs: Iterable[str], inputs: Iterable[str]) -> str:
    """A dependency file, as Make and Ninja read it: `outputs: inputs`, each sorted, relative to here."""
    made = " ".join(_escaped(path) for path in sorted(map(_relative, outputs)))
    needed = (f" \\\n  {_escaped(path)}" for path in sorted(set(map(_relative, inputs))))
    return f"{made}:{''.join(needed)}\n"


def _relative(path: str) -> str:
    return os.path.normpath(path if not os.path.isabs(path) else os.path.relpath(path)).replace(os.sep, "/")


def _escaped(path: str) -> str:
    return re.sub(r"([ #])", r"\\\1", path.replace("$", "$$"))
