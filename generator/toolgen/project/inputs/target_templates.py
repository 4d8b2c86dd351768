"""Targets with their templates: the built-in ones, and over them, file by file, those of the project."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import toolgen.templates  # type: ignore[import-not-found]  # mapped to templates/ when installed
from toolgen.base import MIB
from toolgen.base.escaping.places import plain_name
from toolgen.base.files import DeclaredFolder, FileKind, Folder
from toolgen.base.suggestions import did_you_mean
from toolgen.compile.printing.client_source import ClientTemplates
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.reading.read import read
from toolgen.language.targets.builtin import BASE, BUILT_IN, DIALECTS, own_definition
from toolgen.language.targets.definition import Target, TargetDefinition
from toolgen.language.targets.documents import DOCUMENTS, SERVER, DocumentTarget, publication_faults
from toolgen.project import UnableError, reason
from toolgen.project.files.reading import file_errors
from toolgen.project.inputs.configuration import Project
from toolgen.schema.validator import compiled

SETTINGS = "target.yaml"
_MAX_BYTES: Final = MIB  # of one template

_SKIPPED = (".", "__pycache__")
_FIELDS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "dialect": ("the name of a dialect, or null", {"enum": [*DIALECTS, None]}),
    "tool_name": ("a regular expression", {"type": "string", "format": "regex"}),
    "max_description": ("a number of characters", {"type": "integer"}),
    "max_tools": ("a number of tools", {"type": "integer"}),
}
"""Field of a target.yaml → what it must be, in words and as a schema."""


def load_targets(project: Project) -> tuple[Target, ...]:
    """Return the base target, then the configured ones in their order. Raises `UnableError`."""
    if project.templates is None:
        return targets_of(project, {})
    with file_errors(project.root, "list", project.templates, code="bad-template"):
        try:
            folder = Folder(project.root).below(project.templates)
        except (FileNotFoundError, NotADirectoryError) as error:
            hint = f"see 'templates' in {project.file}"
            raise UnableError("no-templates", f"there is no folder {project.templates}", hint) from error
        return targets_of(project, _templates_in(folder, project.templates))


def targets_of(project: Project, own: Mapping[str, Mapping[str, str]]) -> tuple[Target, ...]:
    """Return the targets of a project whose `own` templates are given: target → path → text."""
    texts = _builtin()
    others = {name for name in DOCUMENTS if SETTINGS in own.get(name, {})}  # the project's own, of that name
    for name, found in own.items():
        texts[name] = dict(found) if name in others else {**texts.get(name, {}), **found}
    slug = plain_name(project.server_name or "").lower()
    for name in DOCUMENTS:
        texts[name] = {path.replace(SERVER, slug): text for path, text in texts[name].items()}
    known = sorted(name for name in texts if name != BASE.name)
    every = [name for name in known if name not in DOCUMENTS or name in others]
    wanted = every if project.targets is None else project.targets
    for name in wanted:
        if name not in known:
            raise _unknown(project, name, known)
    asked = project.targets is not None
    shown = {
        name: {path.replace(SERVER, slug): f"{project.templates}/{name}/{path}" for path in found}
        for name, found in own.items()
    }
    targets = tuple(
        _target(name, texts[name], asked, shown.get(name, {}))
        for name in (BASE.name, *(n for n in wanted if n != BASE.name))
    )
    if faults := list(_publication_faults(project, targets)):
        raise SpecErrors(faults)
    return targets


def _publication_faults(project: Project, targets: Sequence[Target]) -> Iterator[Diagnostic]:
    """Yield a fault for each setting that a target of documents needs, or that its readers refuse."""
    documents = [each.definition for each in targets if isinstance(each.definition, DocumentTarget)]
    server = {"server.name": project.server_name, "server.version": project.server_version}
    for fault in publication_faults({**asdict(project.publish), **server}, documents):
        section, _, key = fault.setting.rpartition(".")
        place = project.place_of(key, fault.value, section)
        yield Diagnostic(place, "invalid-setting", fault.message, fault.hint)


_CLIENT: Final = "_client"
# templates of packages that clients have, too
_OF_CLIENTS: Final = ("_python.jinja", "definitions/", "models/", "schemas/")


def load_client_templates() -> ClientTemplates:
    """Return the templates of typed clients."""
    folder = DeclaredFolder(toolgen.templates.__path__[0])
    own = {
        entry.name: _text(folder, entry.path, f"templates/{entry.path}") for entry in folder.entries(_CLIENT)
    }
    of_package = _builtin()[BASE.name]
    models = {path: text for path, text in of_package.items() if path.startswith(_OF_CLIENTS)}
    return ClientTemplates(Target(BASE, models), own)


def _builtin() -> dict[str, dict[str, str]]:
    # `uv pip install --link-mode=symlink` installs each file as a link
    return _templates_in(DeclaredFolder(toolgen.templates.__path__[0]), "templates")


def _templates_in(folder: Folder, shown: str) -> dict[str, dict[str, str]]:
    """Return texts by target and path. Folders that begin with an underscore or a dot are not targets."""
    targets = [each for each in folder.entries() if not each.name.startswith(("_", "."))]
    found: dict[str, dict[str, str]] = {}
    for target in targets:
        if target.kind is FileKind.LINK:
            _refuse_linked_folder(folder, target.path, shown)
        if target.kind is not FileKind.FOLDER:
            continue
        texts = found[target.name] = {}
        for entry in folder.walk(target.path, skipped=_SKIPPED):
            path = entry.path.removeprefix(f"{target.name}/")
            if path == SETTINGS or path.endswith(".jinja"):
                texts[path] = _text(folder, entry.path, f"{shown}/{entry.path}")
            elif entry.kind is FileKind.LINK:
                _refuse_linked_folder(folder, entry.path, shown)
    return found


def _refuse_linked_folder(folder: Folder, path: str, shown: str) -> None:
    """Raise `UnableError` for a link to a folder, whose templates would be missed."""
    if os.path.isdir(folder.full(path)):
        message = f"{shown}/{path} is a link to a folder"
        raise UnableError("bad-template", message, "put the folder itself there")


def _text(folder: Folder, path: str, shown: str) -> str:
    if not path.isprintable():
        raise UnableError("bad-template", f"the name of {shown!a} is not printable text")
    try:
        text = folder.read(path, limit=_MAX_BYTES).decode("utf-8")
    except OSError as error:  # a link that leaves the templates' folder, too
        raise UnableError("bad-template", f"cannot read {shown}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise UnableError("bad-template", f"{shown} is not UTF-8 text") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _target(name: str, texts: dict[str, str], asked: bool, shown: dict[str, str]) -> Target:
    templates = {path: text for path, text in texts.items() if path != SETTINGS}
    own = {path: file for path, file in shown.items() if path != SETTINGS}
    return Target(_definition(name, texts.get(SETTINGS)), templates, asked, own)


def _definition(name: str, text: str | None) -> TargetDefinition:
    """Return the definition of a target whose target.yaml, if there is one, has `text`."""
    builtin = BASE if name == BASE.name else BUILT_IN.get(name) or DOCUMENTS.get(name)
    if text is not None and name in DOCUMENTS:
        builtin = None
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
    data = read({file: text})[0].data or {}
    if not isinstance(data, dict):
        raise UnableError("bad-target", f"{file} must be a mapping")
    for key, value in data.items():
        if key not in _FIELDS:
            hint = did_you_mean(str(key), _FIELDS) or f"known here: {', '.join(_FIELDS)}"
            raise UnableError("bad-target", f"{file}: unknown field '{key}'", hint)
        meaning, schema = _FIELDS[key]
        if not compiled(schema).is_valid(value):
            hint = f"there are {', '.join(DIALECTS)}" if key == "dialect" else ""
            raise UnableError("bad-target", f"{file}: '{key}' must be {meaning}", hint)
    return data


def _unknown(project: Project, name: str, known: list[str]) -> SpecErrors:
    hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
    place = project.place_of("targets", name)
    return SpecErrors([Diagnostic(place, "unknown-target", f"unknown target '{name}'", hint)])
