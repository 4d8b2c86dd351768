"""Target folders as values: those that are built in, and the project's own over them, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolgen.templates  # type: ignore[import-not-found]  # mapped to templates/ when installed
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.target import Target
from toolgen.disk.fault import UnableError, reason
from toolgen.disk.project import Project
from toolgen.schema.limits import PROVIDERS
from toolgen.words import did_you_mean

BASE = "python"
"""The target that every project has: the package, models and tools that the others stand on."""

_SETTINGS = "target.yaml"
_KEYS = {"dialect": (str, type(None)), "tool_name": (str,)}


def load_targets(project: Project) -> tuple[Target, ...]:
    """The base target, then the configured ones in their order; `UnableError` for what is no target."""
    texts = _builtin()
    for name, found in _own(project).items():
        texts[name] = {**texts.get(name, {}), **found}
    known = sorted(name for name in texts if name != BASE)
    wanted = known if project.targets is None else project.targets
    for name in wanted:
        if name not in known:
            raise _unknown(project, name, known)
    asked = project.targets is not None
    return tuple(_target(name, texts[name], asked) for name in (BASE, *(n for n in wanted if n != BASE)))


def _builtin() -> dict[str, dict[str, str]]:
    return _folders(Path(toolgen.templates.__path__[0]))


def _own(project: Project) -> dict[str, dict[str, str]]:
    if project.templates is None:
        return {}
    folder = project.root / project.templates
    if not folder.is_dir():
        raise UnableError(
            "no-templates", f"there is no folder {project.templates}", f"see 'templates' in {project.file}"
        )
    return _folders(folder)


def _folders(root: Path) -> dict[str, dict[str, str]]:
    """Target name → path in its folder → text. What begins with an underscore or a dot is no target."""
    names = sorted(entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] not in "_.")
    return {name: dict(_texts(root / name, "")) for name in names}


def _texts(folder: Path, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir():
            yield from _texts(entry, path + "/")
        elif path == _SETTINGS or path.endswith(".jinja"):
            if entry.exists() and not entry.is_file():
                raise UnableError("bad-template", f"{entry} is not a regular file")
            try:
                yield path, entry.read_text("utf-8")
            except OSError as error:
                raise UnableError("bad-template", f"cannot read {entry}: {reason(error)}") from error
            except UnicodeDecodeError as error:
                raise UnableError("bad-template", f"{entry} is not UTF-8 text") from error


def _target(name: str, texts: dict[str, str], asked: bool) -> Target:
    settings = _settings(name, texts)
    templates = {path: text for path, text in texts.items() if path != _SETTINGS}
    dialect = settings.get("dialect")
    known = PROVIDERS.get(dialect or "")
    tool_name = settings.get("tool_name", known.tool_name if known else "^.+$")
    return Target(name, dialect, tool_name, templates, asked)


def _settings(name: str, texts: dict[str, str]) -> dict[str, Any]:
    import yaml

    if _SETTINGS not in texts:
        raise UnableError(
            "bad-target", f"the target '{name}' has no {_SETTINGS}", "a target is a folder with that file"
        )
    try:
        data = yaml.safe_load(texts[_SETTINGS]) or {}
    except yaml.YAMLError as error:
        raise UnableError("bad-target", f"{name}/{_SETTINGS} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise UnableError("bad-target", f"{name}/{_SETTINGS} must be a mapping")
    for key, value in data.items():
        if key not in _KEYS or not isinstance(value, _KEYS[key]):
            raise UnableError(
                "bad-target", f"{name}/{_SETTINGS}: '{key}' is not one of {', '.join(_KEYS)} as they must be"
            )
    return data


def _unknown(project: Project, name: str, known: list[str]) -> SpecErrors:
    hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
    place = project.place_of("targets", name)
    return SpecErrors([Diagnostic(place, "unknown-target", f"unknown target '{name}'", hint)])
