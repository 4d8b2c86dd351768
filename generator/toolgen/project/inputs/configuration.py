"""Settings of a project: the keys of `toolgen.toml`, validated, with the place of every fault."""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from toolgen.base import KIB
from toolgen.base.escaping.places import plain_name
from toolgen.base.suggestions import did_you_mean
from toolgen.language.codes import lint_codes
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.identifiers import not_importable
from toolgen.language.lint.settings import LEVELS, LintSettings
from toolgen.language.publication import Publication
from toolgen.language.source import Span
from toolgen.runtime.definition.tool_definition import ANSWERS, SHAPE

FILE = "toolgen.toml"
PYPROJECT = "pyproject.toml"
_MAX_TOML: Final = 256 * KIB  # characters: `tomllib` takes up to 500 bytes of memory for each
TABLE = "tool.toolgen"


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule for the value of a key, and how a fault against it is reported."""

    accepts: Callable[[Any], bool]
    meaning: str
    example: str = ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_path(value: Any) -> bool:
    return _is_text(value) and value.isprintable() and value[0] != "/" and not set('\\:"') & set(value)


def _is_file(value: Any) -> bool:
    return _is_path(value) and ".." not in value.split("/")


def _one_of(words: Collection[str]) -> _Rule:
    return _Rule(lambda value: value in words, f"one of {', '.join(words)}")


def _folder(example: str) -> _Rule:
    # whether it leaves the project is checked after resolving links
    return _Rule(_is_path, _PATH, example)


_PATH: Final = "a relative path with forward slashes"
_TEXT: Final = _Rule(_is_text, "a string")
_BOOLEAN: Final = _Rule(lambda value: isinstance(value, bool), "true or false")
_LIST: Final = _Rule(_is_list, "a list of different strings")
_TABLE: Final = _Rule(lambda value: isinstance(value, dict), "a section")
_COUNT: Final = _Rule(lambda value: type(value) is int and value > 0, "a whole number above 0")
_FILE: Final = _Rule(_is_file, _PATH, "tools/baseline.json")
SECTIONS: Final[dict[str, dict[str, _Rule]]] = {
    "mcp": {"output_schema": _BOOLEAN, "references": _one_of(("inline", "keep"))},
    "server": {"name": _TEXT, "version": _TEXT, "instructions": _TEXT, "lenient_arguments": _BOOLEAN},
    "test": {"fixtures": _folder("tests/toolgen_fixtures.py")},
    "import": {"answers": _one_of(ANSWERS)},
    "breaking": {
        "level": _one_of(LEVELS[:3]),
        "versions": _one_of(("semver",)),
        "accept": _FILE,
        "levels": _TABLE,
    },
    "budget": {"unit": _one_of(("bytes", "o200k")), "baseline": _FILE, "max": _COUNT, "max_total": _COUNT},
    "lint": {"rules": _TABLE, "folders": _TABLE, "baseline": _FILE},
    "publish": {each.name: _LIST if each.name == "include" else _TEXT for each in fields(Publication)},
}
TOP: Final[dict[str, _Rule]] = {
    "specs": _folder("tools/specs"),
    "output": _folder("tools/generated"),
    "implementations": _TEXT,
    "targets": _LIST,
    "templates": _folder("tools/templates"),
    "coerce": _BOOLEAN,
    **dict.fromkeys(SECTIONS, _TABLE),
}
_OF_PROJECT: Final = ("mcp", "server", "test", "import")
"""Sections whose keys are fields of the project: `server_name`."""
_FOLDERS: Final = ("specs", "output", "templates")
_DECODE_ERROR = re.compile(
    r"^(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$"
)
MAX_KEYS: Final = 100
"""Keys of a table that are checked: it has fewer settings, so there are faults among these if it has more."""
_TABLE_HEADER = re.compile(r"^\s*+\[{1,2}+(?P<name>[^\]]++)\]")


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

    def below(self, *names: str) -> Table:
        """Return a table in this one; an empty one if there is none."""
        inner = self
        for name in names:
            found = inner.data.get(name)
            data = found if isinstance(found, dict) else {}
            inner = replace(inner, name=f"{inner.name}.{name}".removeprefix("."), data=data)
        return inner

    def _find(self, key: str) -> tuple[int, int]:
        written = re.compile(
            rf"""^\s*(?:{re.escape(self.name)}\.)?["']?(?P<key>{re.escape(key)})["']?\s*[.=]"""
        )
        table = f"{self.name}.{key}".removeprefix(".")
        # the key is in its table or, dotted, in one above; that of a table may be in a header alone
        inside, begins = not self.name, self.line
        for number, line in enumerate(self.text.splitlines(), self.line):
            if header := _TABLE_HEADER.match(line):
                name = re.sub(r"\s|[\"']", "", header["name"])
                if key in line and f"{name}.".startswith(f"{table}."):
                    return number, line.rindex(key) + 1
                inside = name == self.name
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
    server_lenient_arguments: bool = False  # True: what a tool does not have is left out
    mcp_output_schema: bool = True  # False: output schemas are not published over MCP
    mcp_references: str = "keep"  # "inline": published over MCP without references, where that is exact
    test_fixtures: str | None = None  # file with the fixtures of `toolgen test`
    import_answers: str = SHAPE  # of imported APIs: how much of them is checked
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
        hint = "text is in quotes, and a setting of its own on a line: `toolgen help configuration`"
        raise SpecErrors([Diagnostic(Span(file, number, column), "invalid-toml", message, hint)]) from None


def find_table(own: str | None, shared: str | None) -> Table | None:
    """Return the settings in the texts of a toolgen.toml and a pyproject.toml; None if neither has any.

    Raises `SpecErrors` if one is not TOML, or both have settings.
    """
    # without the word it need not be parsed: a broken pyproject.toml is not our matter
    text = shared if shared and "toolgen" in shared else ""
    data = _tool_table(parse_toml(PYPROJECT, text))
    table = None if data is None else Table(PYPROJECT, text, TABLE, data)
    if own is None or table is None:
        return table if own is None else Table(FILE, own, "", parse_toml(FILE, own))
    message = f"both {FILE} and [{TABLE}] configure this project"
    raise SpecErrors([Diagnostic(table.key(""), "two-configurations", message, "keep one of them")])


def _tool_table(data: dict[str, Any]) -> dict[str, Any] | None:
    tool = data.get("tool")
    found = tool.get("toolgen") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def project_metadata(shared: str | None) -> dict[str, Any]:
    """Return the table `[project]` of a pyproject.toml; empty if there is none, or the file is broken."""
    try:
        section = parse_toml(PYPROJECT, shared or "").get("project")
    except SpecErrors:  # which other programs report
        section = None
    return section if isinstance(section, dict) else {}


def static_version(shared: str | None) -> str | None:
    """Return `version` of `[project]` in a pyproject.toml; None if it is dynamic, or not there."""
    version = project_metadata(shared).get("version")
    return version if isinstance(version, str) and version else None


def make_project(root: Path, table: Table, shared: str | None = None) -> Project:
    """Return the project that `table` configures; `SpecErrors` with every fault in it.

    A server without a version of its own has that in `shared`, the text of the pyproject.toml beside it.
    """
    faults: list[Diagnostic] = []
    top = _sound(table, TOP, faults)
    sections = {name: _sound(table.below(name), rules, faults) for name, rules in SECTIONS.items()}
    sound = {key: value for key, value in top.items() if key not in SECTIONS}
    sound |= {key: posixpath.normpath(sound[key]) for key in _FOLDERS if key in sound}
    for name in _OF_PROJECT:
        sound |= {f"{name}_{key}": value for key, value in sections[name].items()}
    if "version" not in table.below("server").data:
        sound["server_version"] = static_version(shared)
    breaking, budget = sections["breaking"], sections["budget"]
    _levels(table.below("breaking", "levels"), None, faults)
    project = Project(
        root=root,
        file=table.file,
        text=table.text,
        **sound,
        breaking=BreakingSettings(**breaking, is_accept_set="accept" in breaking),
        budget=BudgetSettings(**budget, is_baseline_set="baseline" in budget),
        lint=_lint(table, sections["lint"], faults),
        publish=Publication(**sections["publish"]),
    )
    for path in project.publish.include:
        if not _is_file(path):
            message = f"'include' has {path!r}, which is not {_PATH}"
            place = table.below("publish").value("include", path)
            faults.append(Diagnostic(place, "invalid-setting", message))
    # names are compared only where the folders are sound: one mistake, one report
    faulty = table.data.keys() - top.keys()
    further = list(_folder_faults(project, table, faulty)) or list(_name_faults(project, table, faulty))
    if faults or further:
        raise SpecErrors([*faults, *further])
    return project


def _sound(table: Table, rules: Mapping[str, _Rule], faults: list[Diagnostic]) -> dict[str, Any]:
    """Return the sound values of a table, lists as tuples; add what is wrong with the others to `faults`."""
    sound: dict[str, Any] = {}
    for key, value in islice(table.data.items(), MAX_KEYS):
        rule = rules.get(key)
        if rule is None:
            known = (f"[{name}]" if name in SECTIONS and rules is TOP else name for name in rules)
            hint = did_you_mean(key, rules) or f"the settings are {', '.join(known)}"
            faults.append(Diagnostic(table.key(key), "unknown-setting", f"unknown setting '{key}'", hint))
        elif rule.accepts(value):
            sound[key] = tuple(value) if isinstance(value, list) else value
        else:
            example = f'write it as in `{key} = "{rule.example}"`, relative to the folder of this file'
            hint = example if rule.example else ""
            faults.append(_invalid(table, key, f"'{key}' must be {rule.meaning}", hint))
    return sound


def _lint(table: Table, values: dict[str, Any], faults: list[Diagnostic]) -> LintSettings:
    """Return the section `[lint]`; add its faults to `faults`."""
    of_folders = table.below("lint", "folders")
    folders = {}
    for folder, levels in islice(of_folders.data.items(), MAX_KEYS):
        if isinstance(levels, dict) and _is_path(folder):
            folders[folder.rstrip("/")] = _levels(of_folders.below(folder), lint_codes, faults)
        else:
            message = f"'{folder}' must be a folder of the project, with a level for each rule"
            hint = 'write it as in `[lint.folders."specs/imported"]`'
            faults.append(Diagnostic(of_folders.key(folder), "invalid-setting", message, hint))
    rules = _levels(table.below("lint", "rules"), lint_codes, faults)
    return LintSettings(rules, folders, values.get("baseline", LintSettings().baseline))


def _levels(
    table: Table, known: Callable[[], Collection[str]] | None, faults: list[Diagnostic]
) -> dict[str, str]:
    """Return the levels of rules in a table; add what is wrong with them to `faults`.

    `known` returns the rules that there are, and is called if the table has any, for it reads a file. None:
    any rule.
    """
    found = {}
    for code, level in islice(table.data.items(), MAX_KEYS):
        if known is not None and code not in known():
            hint = did_you_mean(code, known()) or "`toolgen explain` lists the rules"
            message = f"there is no lint rule '{code}'"
            faults.append(Diagnostic(table.key(code), "unknown-setting", message, hint))
        elif level not in LEVELS:
            message = f"the level of '{code}' must be one of {', '.join(LEVELS)}"
            faults.append(Diagnostic(table.key(code), "invalid-setting", message))
        else:
            found[code] = level
    return found


def _invalid(table: Table, key: str, message: str, hint: str = "") -> Diagnostic:
    value = table.data[key]
    span = table.value(key, value) if isinstance(value, str) else table.key(key)
    return Diagnostic(span, "invalid-setting", message, hint)


def _folder_faults(project: Project, table: Table, faulty: Container[str]) -> Iterator[Diagnostic]:
    """Yield a fault for each folder outside the project or inside another one, after resolving symlinks."""
    # a link could lead out of the project, or make two folders one; for a circle, `resolve` would raise
    root = Path(os.path.realpath(project.root))
    real: dict[str, Path] = {}
    for key in _FOLDERS:
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
