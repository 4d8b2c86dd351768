"""Settings of a project: the keys of `toolgen.toml`, validated, with the place of every fault."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any, Final

from toolgen.base.escaping.places import plain_name
from toolgen.base.suggestions import did_you_mean
from toolgen.language.codes import lint_codes
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.lint.settings import LEVELS, LintSettings
from toolgen.language.names import not_importable
from toolgen.language.publication import Publication
from toolgen.language.source import Span

FILE = "toolgen.toml"
PYPROJECT = "pyproject.toml"
_MAX_TOML: Final = 256 * 1024  # characters: `tomllib` takes up to 500 bytes of memory for each
TABLE = "tool.toolgen"
_TYPES: dict[str, type] = {
    "specs": str,
    "output": str,
    "implementations": str,
    "targets": list,
    "templates": str,
    "coerce": bool,
}
_BREAKING_TYPES: dict[str, type] = {"level": str, "versions": str, "accept": str, "levels": dict}
_BREAKING_VALUES: dict[str, tuple[str, ...]] = {
    "level": ("error", "warning", "info"),
    "versions": ("semver",),
}
_BUDGET_TYPES: dict[str, type] = {"unit": str, "baseline": str, "max": int, "max_total": int}
_BUDGET_VALUES: dict[str, tuple[str, ...]] = {"unit": ("bytes", "o200k")}
_FIELD_VALUES: dict[str, tuple[str, ...]] = {"references": ("inline", "keep")}
_RULE_LEVELS = LEVELS
_LINT_TYPES: dict[str, type] = {"rules": dict, "folders": dict, "baseline": str}
_FIELD_SECTIONS: dict[str, dict[str, type]] = {
    "mcp": {"output_schema": bool, "references": str},
    "server": {"name": str, "version": str, "instructions": str},
    "test": {"fixtures": str},
}
"""Sections whose keys are fields of the project: `server_name`."""
_PUBLISH_TYPES: dict[str, type] = {
    each.name: list if each.name == "include" else str for each in fields(Publication)
}
_SECTIONS = (*_FIELD_SECTIONS, "breaking", "budget", "lint", "publish")
_PATHS = {
    "specs": "tools/specs",
    "output": "tools/generated",
    "templates": "tools/templates",
    "fixtures": "tests/toolgen_fixtures.py",
}
"""Settings that are paths, each with an example."""
_TYPE_NAMES: dict[type, str] = {
    str: "a string",
    list: "a list of strings",
    bool: "true or false",
    dict: "a section",
    int: "a whole number above 0",
}
_DECODE_ERROR = re.compile(
    r"^(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$"
)
MAX_KEYS: Final = 100
"""Keys of a table that are checked: it has fewer settings, so there are faults among these if it has more."""
_TABLE_HEADER = re.compile(r"^\s*+\[(?P<name>[^\]]++)\]")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a TOML file. `tomllib` forgets places, so they are searched for when a fault is shown."""

    file: str  # as the user would type it
    text: str
    name: str  # "tool.toolgen"; "" for the top of the file
    data: dict[str, Any]
    line: int = 1  # of the file, where `text` begins

    def key(self, key: str) -> Span:
        """Return the place of `key`; the start of its table if it is not found."""
        number, column = self._find(key)
        return Span(self.file, number, column, len(key))

    def value(self, key: str, value: str) -> Span:
        """Return the place of the string `value` of `key`; the key's if it is not found."""
        number, _ = self._find(key)
        for offset, line in enumerate(self.text.splitlines()[number - self.line :]):
            for quote in "\"'":
                at = line.find(f"{quote}{value}{quote}")
                if at >= 0:
                    return Span(self.file, number + offset, at + 1, len(value) + 2)
        return self.key(key)

    def _find(self, key: str) -> tuple[int, int]:
        written = re.compile(rf"""^\s*(?:{re.escape(self.name)}\.)?["']?(?P<key>{re.escape(key)})["']?\s*=""")
        # the key is in its table or, dotted, in one above
        inside, begins = not self.name, self.line
        for number, line in enumerate(self.text.splitlines(), self.line):
            if header := _TABLE_HEADER.match(line):
                inside = re.sub(r"\s|[\"']", "", header["name"]) == self.name
                begins = number if inside else begins
            elif (inside or self.name in line) and (found := written.match(line)):
                return number, found.start("key") + 1
        return begins, 1


@dataclass(frozen=True, slots=True)
class BreakingSettings:
    """The section `[breaking]`: what `toolgen breaking` fails for."""

    level: str = "error"
    versions: str | None = None  # "semver": versions are checked
    accept: str = "breaking.toml"  # the file of accepted changes, relative to the project
    is_accept_set: bool = False
    levels: Mapping[str, str] = field(default_factory=dict)  # code of a rule → level


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """The section `[budget]`: what `toolgen budget` fails for."""

    unit: str = "bytes"
    baseline: str = "toolgen.budget.json"  # the file of accepted sizes, relative to the project
    is_baseline_set: bool = False
    max: int | None = None  # of a tool, for each target
    max_total: int | None = None  # of all tools, for each target


@dataclass(frozen=True, slots=True)
class Project:
    """A configured folder. Its paths are posix, relative to `root`, and do not leave it."""

    root: Path
    file: str  # the configuration's file name
    text: str  # and what is written in it
    specs: str = "specs"
    output: str = "generated"
    implementations: str | None = None  # dotted name of the package with the hand-written tools
    targets: tuple[str, ...] | None = None  # None: every target that is built in
    templates: str | None = None
    coerce: bool = True
    server_name: str | None = None  # None: the package's
    server_version: str | None = None  # None: neither [server] nor pyproject.toml has one
    server_instructions: str | None = None
    mcp_output_schema: bool = True  # False: output schemas are not published over MCP
    mcp_references: str = "keep"  # "inline": published over MCP without references, where that is exact
    test_fixtures: str | None = None  # file with the fixtures of `toolgen test`
    breaking: BreakingSettings = BreakingSettings()
    budget: BudgetSettings = BudgetSettings()
    lint: LintSettings = field(default_factory=LintSettings)
    publish: Publication = field(default_factory=Publication)

    @property
    def display_name(self) -> str:
        """Return the server's name, or the folder's, in the letters that every client allows."""
        return plain_name(self.server_name or "") or plain_name(self.root.name) or "tools"

    @property
    def publish_notes(self) -> tuple[str, ...]:
        """Return what is missing or old in `server.json`, if it is written."""
        is_written = "registry" in (self.targets or ())
        return tuple(self.publish.notes(self.server_version)) if is_written else ()

    @property
    def import_root(self) -> Path:
        """Return the folder that must be on `sys.path`: the project's, or `src` if that is not a package."""
        return self.root / "src" if self._strips_src(self.output) else self.root

    @property
    def package(self) -> str:
        """Return the output folder's import name, without a leading `src/` that is not a package itself."""
        parts = self.output.split("/")
        return ".".join(parts[1:] if self._strips_src(self.output) else parts)

    def path_of(self, dotted: str) -> str:
        """Return the path of the package or module `dotted` below the root, without a suffix."""
        return self.import_root.joinpath(*dotted.split(".")).relative_to(self.root).as_posix()

    def place_in(self, section: str, key: str) -> Span:
        """Return the place where a section of the configuration, `breaking.levels` for one, sets `key`.

        The section "" is the top of the configuration.
        """
        return self._table(section).key(key)

    def place_of(self, key: str, value: str, section: str = "") -> Span:
        """Return the place where a section of the configuration sets `key` to `value`."""
        return self._table(section).value(key, value)

    def _table(self, section: str) -> Table:
        name = section if self.file == FILE else f"{TABLE}.{section}".removesuffix(".")
        return Table(self.file, self.text, name, {})

    def _strips_src(self, path: str) -> bool:
        # with an `__init__.py`, `src` is a package, and part of what is imported
        return path.startswith("src/") and not (self.root / "src" / "__init__.py").exists()


def parse_toml(file: str, text: str) -> dict[str, Any]:
    """Return TOML text as data; `SpecErrors` with the place of the syntax error, or beyond a limit."""
    if len(text) > _MAX_TOML:
        message = f"more than {_MAX_TOML:,} characters of TOML"
        raise SpecErrors([Diagnostic(Span(file, 1, 1), "too-complex", message)])
    try:
        return tomllib.loads(text)
    except RecursionError:
        message = "arrays and inline tables are nested too deeply"
        raise SpecErrors([Diagnostic(Span(file, 1, 1), "too-complex", message)]) from None
    except tomllib.TOMLDecodeError as error:
        found = _DECODE_ERROR.match(str(error))
        lines = text.splitlines() or [""]
        number = int(found["line"]) if found and found["line"] else len(lines)
        column = int(found["column"]) if found and found["column"] else 1
        what = found["what"] if found else str(error)
        message = f"invalid TOML: {what[:1].lower()}{what[1:]}"
        raise SpecErrors([Diagnostic(Span(file, number, column), "invalid-toml", message)]) from None


def find_table(own: str | None, shared: str | None) -> Table | None:
    """Return the settings in the texts of a toolgen.toml and a pyproject.toml; None if neither has any.

    Raises `SpecErrors` if one is not TOML, or both have settings.
    """
    if own is not None:
        data = parse_toml(FILE, own)
        if (
            shared is not None
            and "toolgen" in shared
            and _tool_table(parse_toml(PYPROJECT, shared)) is not None
        ):
            at = Table(PYPROJECT, shared, TABLE, {}).key("")
            message = f"both {FILE} and [{TABLE}] configure this project"
            raise SpecErrors([Diagnostic(at, "two-configurations", message, "keep one of them")])
        return Table(FILE, own, "", data)
    # without the word it need not be parsed: a broken pyproject.toml is not our matter
    if shared is None or "toolgen" not in shared:
        return None
    data_shared = _tool_table(parse_toml(PYPROJECT, shared))
    return None if data_shared is None else Table(PYPROJECT, shared, TABLE, data_shared)


def _tool_table(data: dict[str, Any]) -> dict[str, Any] | None:
    tool = data.get("tool")
    found = tool.get("toolgen") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def static_version(shared: str | None) -> str | None:
    """Return `version` of `[project]` in a pyproject.toml; None if it is dynamic, or not there."""
    try:
        section = parse_toml(PYPROJECT, shared or "").get("project")
    except SpecErrors:  # a broken pyproject.toml has no version
        return None
    version = section.get("version") if isinstance(section, dict) else None
    return version if isinstance(version, str) and version else None


def make_project(root: Path, table: Table, shared: str | None = None) -> Project:
    """Return the project that `table` configures; `SpecErrors` with every fault in it.

    A server without a version of its own has that in `shared`, the text of the pyproject.toml beside it.
    """
    top = dict(islice(((key, value) for key, value in table.data.items() if key not in _SECTIONS), MAX_KEYS))
    faults = {key: fault for key, value in top.items() if (fault := _shape_fault(table, key, value, _TYPES))}
    sound = {key: _clean(key, value) for key, value in top.items() if key not in faults}
    for name, types in _FIELD_SECTIONS.items():
        _, values = _section(table, name, types, faults)
        sound |= {f"{name}_{key}": value for key, value in values.items()}
    if sound.get("server_version") is None and "server.version" not in faults:
        sound["server_version"] = static_version(shared)
    breaking = _breaking(table, faults)
    _, values = _section(table, "budget", _BUDGET_TYPES, faults)
    budget = BudgetSettings(**values, is_baseline_set="baseline" in values)
    lint = _lint(table, faults)
    publish = _publication(table, faults)
    project = Project(
        root=root,
        file=table.file,
        text=table.text,
        **sound,
        breaking=breaking,
        budget=budget,
        lint=lint,
        publish=publish,
    )
    # names are compared only where the folders are sound: one mistake, one report
    further = list(_folder_faults(project, table, faults)) or list(_name_faults(project, table, faults))
    if faults or further:
        raise SpecErrors([*faults.values(), *further])
    return project


def _clean(key: str, value: Any) -> Any:
    """Return lists as tuples, and paths without `./` and trailing slashes."""
    if isinstance(value, list):
        return tuple(value)
    if key not in ("specs", "output", "templates"):
        return value
    return "/".join(part for part in value.split("/") if part not in ("", ".")) or "."


def _section(
    table: Table, name: str, types: dict[str, type], faults: dict[str, Diagnostic]
) -> tuple[Table, dict[str, Any]]:
    """Return a section and its sound values; add its faults to `faults`, by `section.key`."""
    data = table.data.get(name, {})
    if not isinstance(data, dict):
        faults[name] = _invalid(table, name, f"'{name}' must be a section: [{name}]")
        data = {}
    inner = Table(table.file, table.text, f"{table.name}.{name}".removeprefix("."), data)
    checked = dict(islice(data.items(), MAX_KEYS))
    found = {
        key: fault
        for key, value in checked.items()
        if (fault := _shape_fault(inner, key, value, types) or _value_fault(inner, key, value))
    }
    faults |= {f"{name}.{key}": fault for key, fault in found.items()}
    return inner, {key: value for key, value in checked.items() if key not in found}


def _breaking(table: Table, faults: dict[str, Diagnostic]) -> BreakingSettings:
    """Return the section `[breaking]`; add its faults to `faults`."""
    before = len(faults)
    inner, values = _section(table, "breaking", _BREAKING_TYPES, faults)
    levels = inner.data.get("levels", {})
    for code, level in levels.items() if isinstance(levels, dict) else ():
        if level not in _RULE_LEVELS and len(faults) - before < MAX_KEYS:
            own = Table(table.file, table.text, f"{inner.name}.levels", levels)
            message = f"the level of '{code}' must be one of {', '.join(_RULE_LEVELS)}"
            faults[f"breaking.levels.{code}"] = Diagnostic(own.key(code), "invalid-setting", message)
    return BreakingSettings(**values, is_accept_set="accept" in values)


def _publication(table: Table, faults: dict[str, Diagnostic]) -> Publication:
    """Return the section `[publish]`; add its faults to `faults`. Targets judge what they show of it."""
    inner, values = _section(table, "publish", _PUBLISH_TYPES, faults)
    found = Publication(**{key: _clean("", value) for key, value in values.items()})
    for path in found.include:
        if not _is_plain_path(path) or ".." in path.split("/"):
            message = f"'include' has {path!r}, which is not a relative path with forward slashes"
            place = inner.value("include", path)
            faults["publish.include"] = Diagnostic(place, "invalid-setting", message)
    return found


def _lint(table: Table, faults: dict[str, Diagnostic]) -> LintSettings:
    """Return the section `[lint]`; add its faults to `faults`."""
    inner, values = _section(table, "lint", _LINT_TYPES, faults)
    rules = _rule_levels(inner, "rules", values.get("rules", {}), faults)
    of_folders = Table(inner.file, inner.text, f"{inner.name}.folders", values.get("folders", {}))
    folders = {}
    for folder, levels in islice(of_folders.data.items(), MAX_KEYS):
        if isinstance(levels, dict) and _is_plain_path(folder):
            folders[folder.rstrip("/")] = _rule_levels(of_folders, folder, levels, faults)
        else:
            message = f"'{folder}' must be a folder of the project, with a level for each rule"
            hint = 'write it as in `[lint.folders."specs/imported"]`'
            faults[f"lint.folders.{folder}"] = Diagnostic(
                of_folders.key(folder), "invalid-setting", message, hint
            )
    return LintSettings(rules, folders, values.get("baseline", LintSettings().baseline))


def _rule_levels(
    around: Table, name: str, levels: Mapping[str, Any], faults: dict[str, Diagnostic]
) -> dict[str, str]:
    """Return the levels of lint rules in a table; add what is wrong with them to `faults`."""
    own = Table(around.file, around.text, f"{around.name}.{name}", dict(levels))
    found = {}
    for code, level in islice(levels.items(), MAX_KEYS):
        if code not in lint_codes():
            hint = did_you_mean(code, lint_codes()) or "`toolgen explain` lists the rules"
            fault = Diagnostic(own.key(code), "unknown-setting", f"there is no lint rule '{code}'", hint)
        elif level not in LEVELS:
            message = f"the level of '{code}' must be one of {', '.join(LEVELS)}"
            fault = Diagnostic(own.key(code), "invalid-setting", message)
        else:
            found[code] = level
            continue
        faults[f"{own.name}.{code}"] = fault
    return found


def _value_fault(table: Table, key: str, value: str) -> Diagnostic | None:
    """Return the fault of a value that is none of those that the setting has, or no path in the project."""
    allowed = {**_BREAKING_VALUES, **_BUDGET_VALUES, **_FIELD_VALUES}.get(key)
    if allowed is not None and value not in allowed:
        message = f"'{key}' must be one of {', '.join(allowed)}"
        return _invalid(table, key, message, did_you_mean(value, allowed))
    if key in ("accept", "baseline") and (not _is_plain_path(value) or ".." in value.split("/")):
        return _invalid(table, key, f"'{key}' must be a relative path with forward slashes")
    return None


def _shape_fault(table: Table, key: str, value: Any, types: dict[str, type]) -> Diagnostic | None:
    if key not in types:
        known = [*types, *(f"[{name}]" for name in _SECTIONS)] if types is _TYPES else [*types]
        hint = did_you_mean(key, types) or f"the settings are {', '.join(known)}"
        return Diagnostic(table.key(key), "unknown-setting", f"unknown setting '{key}'", hint)
    expected = types[key]
    fits = (
        type(value) is int and value > 0 if expected is int else isinstance(value, expected) and value != ""
    )
    if fits and expected is list:
        fits = all(isinstance(item, str) and item for item in value) and len(set(value)) == len(value)
        if not fits:
            return _invalid(table, key, f"'{key}' must be a list of different strings")
    if not fits:
        return _invalid(table, key, f"'{key}' must be {_TYPE_NAMES[expected]}")
    if key in _PATHS and not _is_plain_path(value):
        hint = f'write it as in `{key} = "{_PATHS[key]}"`, relative to the folder of this file'
        return _invalid(table, key, f"'{key}' must be a relative path with forward slashes", hint)
    return None


def _is_plain_path(text: str) -> bool:
    return text.isprintable() and not text.startswith("/") and not set('\\:"') & set(text)


def _invalid(table: Table, key: str, message: str, hint: str = "") -> Diagnostic:
    value = table.data[key]
    span = table.value(key, value) if isinstance(value, str) else table.key(key)
    return Diagnostic(span, "invalid-setting", message, hint)


def _folder_faults(project: Project, table: Table, faulty: Container[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each folder outside the project or inside another one, after resolving symlinks."""
    # a link could lead out of the project, or make two folders one; for a circle, `resolve` would raise
    root = Path(os.path.realpath(project.root))
    real: dict[str, Path] = {}
    for key in ("specs", "output", "templates"):
        path = getattr(project, key)
        if path is None or key in faulty:
            continue
        folder = Path(os.path.realpath(project.root / path))
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
    """Yield a fault for each name that cannot be imported or that belongs to the generated package."""
    for key, name in (("output", project.package), ("implementations", project.implementations)):
        bad = None if name is None else not_importable(name)
        if bad is not None and key in table.data and key not in faulty:
            message = f"'{key}' must be a name that Python can import; '{bad}' cannot be"
            yield _invalid(table, key, message)
    generated, written = project.package, project.implementations or ""
    if "output" not in faulty and f"{written}.".startswith(f"{generated}."):
        hint = "hand-written tools live in a package of their own, which toolgen never touches"
        yield _invalid(table, "implementations", "'implementations' is inside the generated package", hint)
