"""Target folders as values: those that are built in, and the project's own over them, file by file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolgen.templates  # type: ignore[import-not-found]  # mapped to templates/ when installed
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.target import Target
from toolgen.project.errors import UnableError, reason
from toolgen.project.settings import Project
from toolgen.schema.providers import PROVIDERS
from toolgen.suggestions import did_you_mean

BASE = "python"
"""The target that every project has: the package, models and tools that the others stand on."""

_SETTINGS = "target.yaml"
_MAX_BYTES = 1024 * 1024  # of one template
_KEYS = {"dialect": (str, type(None)), "tool_name": (str,)}


def load_targets(project: Project, *, links: bool = False) -> tuple[Target, ...]:
    """The base target, then the configured ones in their order; `UnableError` for what is no target.

    With `links`, the project's templates may be links to other places, as build systems lay out their inputs.
    """
    texts = _builtin()
    own = _own(project, links)
    for name, found in own.items():
        texts[name] = {**texts.get(name, {}), **found}
    known = sorted(name for name in texts if name != BASE)
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
        for name in (BASE, *(n for n in wanted if n != BASE))
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
    """Target name → path in its folder → text. What begins with an underscore or a dot is no target."""
    names = sorted(entry.name for entry in root.iterdir() if entry.is_dir() and entry.name[0] not in "_.")
    top = None if links else root.resolve()
    return {name: dict(_texts(root / name, "", top)) for name in names}


def _texts(folder: Path, prefix: str, top: Path | None) -> Iterator[tuple[str, str]]:
    """Path → text of every template below `folder`. No link is followed out of `top`, where it is given."""
    if top is not None and folder.is_symlink():
        raise UnableError("bad-template", f"{folder} is a link to a folder", "put the folder itself there")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = prefix + entry.name
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir():
            yield from _texts(entry, path + "/", top)
        elif path == _SETTINGS or path.endswith(".jinja"):
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
    settings = _settings(name, texts)
    templates = {path: text for path, text in texts.items() if path != _SETTINGS}
    own = {path: file for path, file in shown.items() if path != _SETTINGS}
    dialect = settings.get("dialect")
    known = PROVIDERS.get(dialect or "")
    tool_name = settings.get("tool_name", known.tool_name if known else "^.+$")
    return Target(name, dialect, tool_name, templates, asked, own)


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
