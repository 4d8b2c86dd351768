"""What a `$ref` says: something inside its own schema, a shared file, or something that is refused."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Path, Source, Span
from toolgen.schema.document import follow
from toolgen.suggestions import did_you_mean, quoted

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ELSEWHERE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:")
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Target:
    """A definition of a shared file, and the way from it to the part that is meant."""

    path: str  # of the file, below the specs folder
    name: str  # of the definition
    rest: Path  # below the definition


def parts_of(fragment: str) -> Path:
    """The steps of a JSON Pointer in a URI fragment."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in unquote(fragment).split("/")[1:])


def exists(data: Any, path: Path) -> bool:
    """Whether there is a schema at `path`."""
    try:
        return isinstance(follow(data, path), dict | bool)
    except LookupError:
        return False


def file_target(ref: str, source: Source, at: Path, shared: Mapping[str, Source]) -> Target | Diagnostic:
    """Where a `$ref` that leaves its file leads, or why it is refused; it stands in `source` at `at`."""
    written, _, fragment = ref.partition("#")
    if _ELSEWHERE.match(written) or "\\" in written:
        return _outside(written, ref, source.value(at))
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), unquote(written)))
    if path == ".." or path.startswith("../"):
        return Diagnostic(
            source.value(at),
            "escaping-ref",
            f"{quoted(ref)} leads out of the specs folder",
            "move the shared file below the specs folder",
        )
    if path not in shared:
        return Diagnostic(source.value(at), "dangling-ref", *_no_file(written, path, source, shared))
    return definition(shared[path], fragment, source, at)


def definition(file: Source, fragment: str, source: Source, at: Path) -> Target | Diagnostic:
    """The definition of `file` that `fragment` points into; the `$ref` stands in `source` at `at`."""
    data: Any = file.data
    path = file.path
    steps = parts_of(fragment) if fragment.startswith("/") else ()
    definitions = data["$defs"]
    if len(steps) < 2 or steps[0] != "$defs":
        return Diagnostic(
            source.value(at),
            "dangling-ref",
            f"a `$ref` to a shared file names one of its definitions, and {quoted('#' + fragment)} does not",
            f"write {path}#/$defs/{next(iter(definitions))}" if path else "",
        )
    name = str(steps[1])
    if not exists(data, steps):
        return Diagnostic(
            source.value(at),
            "dangling-ref",
            f"there is no {quoted('/'.join(map(str, steps)))} in {path}",
            (did_you_mean(name, definitions) or "known there: " + ", ".join(definitions))
            if len(steps) == 2
            else "",
        )
    return Target(path, name, steps[2:])


def _outside(written: str, ref: str, span: Span) -> Diagnostic:
    if written.startswith(("/", "\\")) or _DRIVE.match(written) or written.lower().startswith("file:"):
        return Diagnostic(
            span,
            "absolute-ref",
            f"{quoted(ref)} is a place on one machine",
            "write a path relative to this file: schemas/common.yaml#/$defs/…",
        )
    if _SCHEME.match(written):
        return Diagnostic(
            span,
            "remote-ref",
            f"{quoted(ref)} is elsewhere, and specs never go to the network",
            "copy the schema into a file below the specs folder, and refer to that",
        )
    return Diagnostic(
        span,
        "dangling-ref",
        f"there is no file {quoted(written)}",
        "write / between folders, on every system",
    )


def _no_file(written: str, path: str, source: Source, shared: Mapping[str, Source]) -> tuple[str, str]:
    if path == source.path:
        return f"{quoted(written)} is this very file", "leave the file's name out: #/$defs/…"
    folder = posixpath.dirname(source.path) or "."
    if unquote(written) in shared:
        hint = f"paths are relative to the file they stand in: {posixpath.relpath(unquote(written), folder)}"
        return f"there is no shared file {path}", hint
    near = _near(path, shared)
    hint = f"did you mean {posixpath.relpath(near, folder)!r}?" if near else _SHARED_HINT
    return f"there is no shared file {path}", hint


_SHARED_HINT = "a shared file lies below the specs folder and has only `$defs` at its top"


def _near(path: str, shared: Iterable[str]) -> str:
    hint = did_you_mean(path, shared)
    return hint.split("'")[1] if hint else ""
