"""Settings judged: every fault in a configuration, at its place."""

from __future__ import annotations

import keyword
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.project.project import Project
from toolgen.project.toml import Table
from toolgen.suggestions import did_you_mean

_KINDS: dict[str, type] = {
    "specs": str,
    "output": str,
    "implementations": str,
    "targets": list,
    "templates": str,
    "coerce": bool,
}
_SERVER_KINDS: dict[str, type] = {"name": str, "version": str, "instructions": str}
_WORDS: dict[type, str] = {str: "a string", list: "a list of strings", bool: "true or false"}


def make_project(root: Path, table: Table) -> Project:
    """The project that `table` configures; `SpecErrors` with everything that is wrong with it."""
    top = {key: value for key, value in table.data.items() if key != "server"}
    faults = {key: fault for key, value in top.items() if (fault := _shape_fault(table, key, value, _KINDS))}
    sound = {key: _clean(key, value) for key, value in top.items() if key not in faults}
    server, server_faults = _server(table)
    faults.update(server_faults)
    project = Project(root=root, file=table.file, text=table.text, **sound, **server)
    further = list(_place_faults(project, table, faults)) or list(_name_faults(project, table, faults))
    if faults or further:
        raise SpecErrors([*faults.values(), *further])
    return project


def _clean(key: str, value: Any) -> Any:
    """Lists that nobody changes; paths as everybody writes them: no `./`, no trailing slash."""
    if isinstance(value, list):
        return tuple(value)
    if key not in ("specs", "output", "templates"):
        return value
    return "/".join(part for part in value.split("/") if part not in ("", ".")) or "."


def _server(table: Table) -> tuple[dict[str, Any], dict[str, Diagnostic]]:
    """The section `[server]` as fields of the project, and its faults."""
    data = table.data.get("server", {})
    if not isinstance(data, dict):
        return {}, {"server": _invalid(table, "server", "'server' must be a section: [server]")}
    inner = Table(table.file, table.text, f"{table.name}.server" if table.name else "server", data)
    faults = {
        f"server.{key}": fault
        for key, value in data.items()
        if (fault := _shape_fault(inner, key, value, _SERVER_KINDS))
    }
    return {f"server_{key}": value for key, value in data.items() if f"server.{key}" not in faults}, faults


def _shape_fault(table: Table, key: str, value: Any, kinds: dict[str, type]) -> Diagnostic | None:
    if key not in kinds:
        known = [*kinds, "[server]"] if kinds is _KINDS else [*kinds]
        hint = did_you_mean(key, kinds) or f"the settings are {', '.join(known)}"
        return Diagnostic(table.key(key), "unknown-setting", f"unknown setting '{key}'", hint)
    kind = kinds[key]
    fits = isinstance(value, kind) and value != ""
    if fits and kind is list:
        fits = all(isinstance(item, str) and item for item in value) and len(set(value)) == len(value)
        if not fits:
            return _invalid(table, key, f"'{key}' must be a list of different strings")
    if not fits:
        return _invalid(table, key, f"'{key}' must be {_WORDS[kind]}")
    if key in ("specs", "output", "templates") and not _is_plain_path(value):
        hint = 'write it as in `specs = "tools/specs"`, relative to the folder of this file'
        return _invalid(table, key, f"'{key}' must be a relative path with forward slashes", hint)
    return None


def _is_plain_path(text: str) -> bool:
    return text.isprintable() and not text.startswith("/") and not set('\\:"') & set(text)


def _invalid(table: Table, key: str, message: str, hint: str = "") -> Diagnostic:
    value = table.data[key]
    span = table.value(key, value) if isinstance(value, str) else table.key(key)
    return Diagnostic(span, "invalid-setting", message, hint)


def _place_faults(project: Project, table: Table, faulty: Container[str]) -> Iterator[Diagnostic]:
    """Folders that leave the project, or lie in each other: judged where symlinks lead, not as written."""
    root = project.root.resolve()
    real: dict[str, Path] = {}
    for key in ("specs", "output", "templates"):
        path = getattr(project, key)
        if path is None or key in faulty:
            continue
        folder = (project.root / path).resolve()
        span = table.value(key, table.data[key]) if key in table.data else table.key(key)
        if ".." in path.split("/") or not folder.is_relative_to(root):
            hint = "move the configuration up instead, to a folder that contains both"
            yield Diagnostic(span, "outside-project", f"'{key}' leaves the project's folder", hint)
        elif key == "output" and folder == root:
            yield Diagnostic(span, "invalid-setting", "'output' must be a folder of its own")
        else:
            real[key] = folder
    output = real.get("output")
    for key in ("specs", "templates"):
        other = real.get(key)
        if output and other and (output.is_relative_to(other) or other.is_relative_to(output)):
            span = table.key("output" if "output" in table.data else key)
            message = f"'output' ({project.output}) and '{key}' ({getattr(project, key)}) overlap"
            hint = "what is generated needs a folder of its own, beside the others"
            yield Diagnostic(span, "overlapping-folders", message, hint)


def _name_faults(project: Project, table: Table, faulty: Container[str]) -> Iterator[Diagnostic]:
    """Names that Python could not import, or that two owners would write to."""
    for key, name in (("output", project.package), ("implementations", project.implementations)):
        bad = [
            part for part in (name or "x").split(".") if not part.isidentifier() or keyword.iskeyword(part)
        ]
        if bad and key in table.data and key not in faulty:
            message = f"'{key}' must be a name that Python can import; '{bad[0]}' is none"
            yield _invalid(table, key, message)
    ours, theirs = project.package, project.implementations or ""
    if "output" not in faulty and (theirs == ours or theirs.startswith(ours + ".")):
        hint = "hand-written tools live in a package of their own, which toolgen never touches"
        yield _invalid(table, "implementations", "'implementations' lies inside the generated package", hint)
