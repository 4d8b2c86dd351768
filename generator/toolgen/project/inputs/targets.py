"""Targets with their templates: the built-in ones, and over them, file by file, those of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import toolgen.templates  # type: ignore[import-not-found]  # mapped to templates/ when installed
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.target import Target
from toolgen.project.errors import UnableError, reason
from toolgen.project.inputs.configuration import Project
from toolgen.suggestions import did_you_mean
from toolgen.targets.builtin import BASE, BUILT_IN, DIALECTS, own_definition
from toolgen.targets.definition import TargetDefinition

SETTINGS = "target.yaml"
_MAX_BYTES = 1024 * 1024  # of one template
_MAX_SETTINGS = 64 * 1024  # characters of a target.yaml, which has four fields
_FIELDS: dict[str, tuple[tuple[type, ...], str]] = {
    "dialect": ((str, type(None)), "the name of a dialect, or null"),
    "tool_name": ((str,), "a regular expression"),
    "max_description": ((int,), "a number of characters"),
    "max_tools": ((int,), "a number of tools"),
}
"""Field of a target.yaml → its types in Python, and what it must be."""


def load_targets(project: Project, *, links: bool = False) -> tuple[Target, ...]:
    """Return the base target, then the configured ones in their order. Raises `UnableError`.

    With `links`, the project's templates may be links to other places, as build systems lay out their inputs.
    """
    return targets_of(project, _own(project, links))


def targets_of(project: Project, own: Mapping[str, Mapping[str, str]]) -> tuple[Target, ...]:
    """Return the targets of a project whose `own` templates are given: target → path → text."""
    texts = _builtin()
    for name, found in own.items():
        texts[name] = {**texts.get(name, {}), **found}
    known = sorted(name for name in texts if name != BASE.name)
    wanted = known if project.targets is None else project.targets
    for name in wanted:
        if name not in known:
            raise _unknown(project, name, known)
    asked = project.targets is not None
    shown = {
        name: {path: f"{project.templates}/{name}/{path}" for path in found} for name, found in own.items()
    }
    return tuple(
        _target(name, texts[name], asked, shown.get(name, {}))
        for name in (BASE.name, *(n for n in wanted if n != BASE.name))
    )


def _builtin() -> dict[str, dict[str, str]]:
    return _folders(Path(toolgen.templates.__path__[0]), links=True)


def _own(project: Project, links: bool) -> dict[str, dict[str, str]]:
    if project.templates is None:
        return {}
    folder = project.root / project.templates
    if not folder.is_dir():
        raise UnableError(
            "no-templates", f"there is no folder {project.templates}", f"see 'templates' in {project.file}"
        )
    return _folders(folder, links)


def _folders(root: Path, links: bool) -> dict[str, dict[str, str]]:
    """Return texts by target and path. Folders that begin with an underscore or a dot are not targets."""
    names = sorted(entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] not in "_.")
    top = None if links else root.resolve()
    return {name: dict(_texts(root / name, "", top)) for name in names}


def _texts(folder: Path, prefix: str, top: Path | None) -> Iterator[tuple[str, str]]:
    """Yield path and text of every template below `folder`. No link is followed out of `top`, if given."""
    if top is not None and folder.is_symlink():
        raise UnableError("bad-template", f"{folder} is a link to a folder", "put the folder itself there")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir():
            yield from _texts(entry, path + "/", top)
        elif path == SETTINGS or path.endswith(".jinja"):
            yield path, _text(entry, top)


def _text(file: Path, top: Path | None) -> str:
    if not str(file).isprintable():
        raise UnableError("bad-template", f"the name of {file.name!a} is not printable text")
    if top is not None and not file.resolve().is_relative_to(top):
        raise UnableError(
            "bad-template", f"{file} is a link that leaves the templates' folder", "put the file itself there"
        )
    if file.exists() and not file.is_file():  # a pipe would wait for ever
        raise UnableError("bad-template", f"{file} is not a file")
    try:
        with file.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UnableError("bad-template", f"{file} has more than {_MAX_BYTES:,} bytes")
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise UnableError("bad-template", f"cannot read {file}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise UnableError("bad-template", f"{file} is not UTF-8 text") from error


def _target(name: str, texts: dict[str, str], asked: bool, shown: dict[str, str]) -> Target:
    templates = {path: text for path, text in texts.items() if path != SETTINGS}
    own = {path: file for path, file in shown.items() if path != SETTINGS}
    return Target(_definition(name, texts.get(SETTINGS)), templates, asked, own)


def _definition(name: str, text: str | None) -> TargetDefinition:
    """Return the definition of a target whose target.yaml, if there is one, has `text`."""
    builtin = BASE if name == BASE.name else BUILT_IN.get(name)
    if text is None:
        if builtin is None:
            hint = "a target is a folder with that file"
            raise UnableError("bad-target", f"the target '{name}' has no {SETTINGS}", hint)
        return builtin
    settings = _settings(f"{name}/{SETTINGS}", text)
    if builtin is not None:
        return replace(builtin, **settings)
    return own_definition(name, settings.pop("dialect", None), settings)


def _settings(file: str, text: str) -> dict[str, Any]:
    import yaml

    if len(text) > _MAX_SETTINGS:
        raise UnableError("bad-target", f"{file} has more than {_MAX_SETTINGS:,} characters")
    is_inside = False
    try:
        for event in yaml.parse(text):
            if isinstance(event, yaml.AliasEvent):
                raise UnableError("bad-target", f"{file} has aliases, which can multiply without end")
            if isinstance(event, yaml.CollectionStartEvent) and is_inside:
                raise UnableError("bad-target", f"{file} has nested values; a field is a text or a number")
            is_inside = is_inside or isinstance(event, yaml.CollectionStartEvent)
        data = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise UnableError("bad-target", f"{file} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise UnableError("bad-target", f"{file} must be a mapping")
    for key, value in data.items():
        if key not in _FIELDS:
            hint = did_you_mean(str(key), _FIELDS) or f"known here: {', '.join(_FIELDS)}"
            raise UnableError("bad-target", f"{file}: unknown field '{key}'", hint)
        types, meaning = _FIELDS[key]
        if not isinstance(value, types) or isinstance(value, bool):
            raise UnableError("bad-target", f"{file}: '{key}' must be {meaning}")
    if data.get("dialect") is not None and data["dialect"] not in DIALECTS:
        hint = did_you_mean(data["dialect"], DIALECTS) or f"there are {', '.join(DIALECTS)}"
        raise UnableError("bad-target", f"{file}: unknown dialect '{data['dialect']}'", hint)
    try:
        re.compile(data.get("tool_name", ""))
    except re.error as error:
        raise UnableError(
            "bad-target", f"{file}: 'tool_name' is not a regular expression: {error}"
        ) from error
    return data


def _unknown(project: Project, name: str, known: list[str]) -> SpecErrors:
    hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
    place = project.place_of("targets", name)
    return SpecErrors([Diagnostic(place, "unknown-target", f"unknown target '{name}'", hint)])
