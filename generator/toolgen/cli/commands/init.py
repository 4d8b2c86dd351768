"""Set up a project: settings, folders, git attributes, workflow, pre-commit hook. Existing files are kept."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolgen.cli.file_templates import render
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.cli.scaffolding.files import PACKAGE, schema_file
from toolgen.cli.scaffolding.pinned_requirement import requirement
from toolgen.project import (
    FILE,
    PYPROJECT,
    Project,
    UnableError,
    create_files,
    find_configuration,
    find_project,
    kind_of,
    read_text,
    repository,
)

_WORKFLOW = ".github/workflows/toolgen.yml"
_PRE_COMMIT = ".pre-commit-config.yaml"
_ATTRIBUTES = ".gitattributes"
_PLAIN = re.compile(r"[a-z][A-Za-z0-9 ./_-]*")
_CONFTEST = '"""Lets tests import this project: pytest puts the folder of this file on the path."""\n'


@dataclass(frozen=True, slots=True)
class NewFile:
    """One file of a new project."""

    path: str  # relative to the project, or to the repository for what belongs to it
    text: str
    at: Path  # the folder that `path` is relative to
    appends: bool = False  # to an existing file, which is otherwise left unchanged
    advice: str = ""  # what to do by hand if the file exists


def arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    root = Path(args.start).resolve()
    if not root.is_dir():
        raise UnableError("no-configuration", f"{args.start} is not a folder", "create it first")
    project = find_project(root) if find_configuration(root) else None
    written, kept = [], []
    for file in _files(root, project):
        if not file.appends and kind_of(file.at, file.path) is not None:
            kept.append(file)
            continue
        create_files(file.at, {file.path: file.text}, append=file.appends)
        written.append(file)
    if args.format == "json":
        emit_json({"written": [s.path for s in written], "kept": [s.path for s in kept]})
    else:
        _report(written, kept)
    return True


def _files(root: Path, project: Project | None) -> Iterator[NewFile]:
    package = _free_package(root)
    if project is None:
        shared = read_text(root, PYPROJECT) is not None
        text = render("_init/toolgen.toml.jinja", table=shared, implementations=package)
        yield NewFile(PYPROJECT if shared else FILE, text, root, appends=shared)
    else:
        yield NewFile(project.file, "", root)
        package = project.implementations or ""
    specs = project.specs if project else "specs"
    yield NewFile(f"{specs}/{schema_file()[0]}", schema_file()[1], root)
    if package:
        base = project.path_of(package) if project else package
        yield NewFile(f"{base}/__init__.py", PACKAGE, root)
    yield NewFile("conftest.py", _CONFTEST, root)
    yield _attributes(root, project.output if project else "generated")
    yield from _repository_files(root)


def _attributes(root: Path, output: str) -> NewFile:
    """Return the attributes of generated files, which git reads in the project's folder."""
    text = render("_init/gitattributes.jinja", output=output)
    there = read_text(root, _ATTRIBUTES)
    appends = there is not None and f"{output}/" not in there
    return NewFile(_ATTRIBUTES, text, root, appends=appends)


def _repository_files(root: Path) -> Iterator[NewFile]:
    """Yield the CI workflow and the hook, which belong at the root of the repository."""
    top = repository(root) or root
    below = root.relative_to(top).as_posix()
    if not below.isprintable():
        raise UnableError("cannot-write", f"the path {below!a} is not printable text", "rename the folder")
    command = "toolgen check" if below == "." else f"toolgen -C {shlex.quote(below)} check"
    wanted = requirement(top)
    in_hook = {"command": _quoted(command), "requirement": wanted}
    # GitHub replaces ${{ … }} before the shell sees the text
    in_workflow = {
        "command": _quoted(command.replace("${{", "$''{{")),
        "requirement": shlex.quote(wanted) if wanted else "",
    }
    yield NewFile(_WORKFLOW, render("_init/workflow.yml.jinja", **in_workflow), top)
    entry = render("_init/pre-commit.yaml.jinja", whole=False, **in_hook)
    whole = render("_init/pre-commit.yaml.jinja", whole=True, **in_hook)
    there = read_text(top, _PRE_COMMIT) or ""
    advice = "" if "toolgen" in there else f"add this to its repos:\n\n{entry}"
    yield NewFile(_PRE_COMMIT, whole, top, advice=advice)


def _quoted(command: str) -> str:
    """Return `command` as a YAML scalar, quoted if necessary."""
    return command if _PLAIN.fullmatch(command) else json.dumps(command, ensure_ascii=False)


def _free_package(root: Path) -> str:
    """Return a name for the package of implementations that is not in use."""
    taken = (root / "tools").exists() and not (root / "tools" / "__init__.py").exists()
    return "tool_implementations" if taken or (root / "tools.py").exists() else "tools"


def _report(written: list[NewFile], kept: list[NewFile]) -> None:
    for file in written:
        emit(f"{'added to' if file.appends else 'wrote'} {file.path}")
    for file in kept:
        advice, *lines = file.advice.splitlines() or [""]
        say(f"kept {file.path}, which exists already" + (f"; {advice}" if advice else ""), *lines)
    say("next: toolgen new my_tool, fill in its spec, then toolgen generate")
