"""Resolve references that leave their file, to a definition of a shared file or to a fault."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from toolgen.base.suggestions import did_you_mean, nearest, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Source, Span
from toolgen.schema.document import JsonPath, Located, parse_pointer

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ELSEWHERE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:")
_DRIVE = re.compile(r"[a-zA-Z]:[\\/]")


@dataclass(frozen=True, slots=True)
class SharedDefinition:
    """A part of a shared file that a reference names."""

    path: str  # of the file, below the specs folder
    name: str  # of the definition
    rest: JsonPath  # from the definition to the part


def resolve_file_reference(
    ref: str, source: Source, at: JsonPath, shared: Mapping[str, Source]
) -> SharedDefinition | Diagnostic:
    """Resolve the reference `ref` to another file, written in `source` at `at`."""
    written, _, fragment = ref.partition("#")
    if own := _own_definition(ref, source, at):
        message = f"{quoted(ref)} is not a file, but a definition of this schema"
        return Diagnostic(
            source.value(at), "dangling-ref", message, f"write {quoted(f'#/$defs/{own}')}, in quotes"
        )
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
    return find_definition(shared[path], f"#{fragment}", source, at)


def _own_definition(ref: str, source: Source, at: JsonPath) -> str:
    """Return the name that a reference without `#` has in `$defs` of the same schema, or empty text."""
    name = ref.removeprefix("/$defs/").removeprefix("$defs/")
    schema = source.data.get(at[0]) if at and isinstance(source.data, dict) else None
    definitions = schema.get("$defs") if isinstance(schema, dict) else None
    return name if isinstance(definitions, dict) and name in definitions else ""


def find_definition(
    file: Source, reference: str, source: Source, at: JsonPath, home: JsonPath = ()
) -> SharedDefinition | Diagnostic:
    """Return what a reference within `file` names, if it is written at `home` there, or at its root.

    A fault is at the path `at` of `source`.
    """
    data: Any = file.data
    definitions = data["$defs"]
    target = file.document.target(reference, home)
    if isinstance(target, Located) and len(target.path) >= 2 and target.path[0] == "$defs":
        return SharedDefinition(file.path, str(target.path[1]), target.path[2:])
    steps = parse_pointer(reference[1:]) if reference.startswith("#/") else ()
    if len(steps) < 2 or steps[0] != "$defs":
        message = f"a `$ref` to a shared file must name one of its definitions; {quoted(reference)} does not"
        hint = f"write {file.path}#/$defs/{next(iter(definitions))}"
    else:
        message = f"there is no {quoted('/'.join(map(str, steps)))} in {file.path}"
        hint = did_you_mean(str(steps[1]), definitions) if len(steps) == 2 else ""
        if not hint and len(steps) == 2:
            hint = f"define it there, or use one of {', '.join(definitions)}"
    return Diagnostic(source.value(at), "dangling-ref", message, hint)


def _outside(written: str, ref: str, span: Span) -> Diagnostic:
    if written.startswith(("/", "\\")) or _DRIVE.match(written) or written.lower().startswith("file:"):
        code, message = "absolute-ref", f"{quoted(ref)} is an absolute path, which exists on one machine only"
        hint = "write a path relative to this file: schemas/common.yaml#/$defs/…"
    elif _SCHEME.match(written):
        code, message = "remote-ref", f"{quoted(ref)} is a URL, and specs are never read from the network"
        hint = "copy the schema into a file below the specs folder, and refer to that"
    else:
        code, message = "dangling-ref", f"there is no file {quoted(written)}"
        hint = "write / between folders, on every system"
    return Diagnostic(span, code, message, hint)


def _no_file(written: str, path: str, source: Source, shared: Mapping[str, Source]) -> tuple[str, str]:
    if path == source.path:
        return f"{quoted(written)} is this file itself", "leave the file's name out: #/$defs/…"
    folder = posixpath.dirname(source.path) or "."
    if unquote(written) in shared:
        relative = posixpath.relpath(unquote(written), folder)
        hint = f"paths are relative to the file that contains them: {relative}"
        return f"there is no shared file {path}", hint
    near = nearest(path, shared)
    hint = f"did you mean {posixpath.relpath(near, folder)!r}?" if near else _SHARED_HINT
    return f"there is no shared file {path}", hint


_SHARED_HINT = "shared files are below the specs folder and have only `$defs` at their top"
