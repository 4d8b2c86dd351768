"""The files of a new project: settings, folders, git attributes, workflow, pre-commit hook."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from urllib.request import url2pathname

from toolgen.base.escaping.places import plain_name
from toolgen.compile.printing.render import render_file
from toolgen.project import (
    FILE,
    PYPROJECT,
    Project,
    UnableError,
    create_files,
    kind_of,
    read_text,
    replace_files,
)
from toolgen.project.inputs.configuration import find_table, make_project, project_metadata, static_version
from toolgen.project.inputs.discovery import repository
from toolgen.project.output.beside import SCHEMA, schema_text
from toolgen.project.scaffolding.new_tool import package_text

_WORKFLOW = ".github/workflows/toolgen.yml"
_PRE_COMMIT = ".pre-commit-config.yaml"
_ATTRIBUTES = ".gitattributes"
_PROJECTS = re.compile(r"^ +project: \[(?P<projects>\".*\")(?=\])", re.MULTILINE)
_CONFTEST = '"""Lets tests import this project: pytest puts the folder of this file on the path."""\n'
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PLAIN_URL = re.compile(r"[A-Za-z0-9._~:/?#@!&=+%,-]+")
_EXTRA = "toolgen[cli]"


@dataclass(frozen=True, slots=True)
class NewFile:
    """One file of a new project."""

    path: str  # relative to the project, or to the repository for what belongs to it
    text: str
    at: Path  # the folder that `path` is relative to
    appends: bool = False  # to an existing file, which is otherwise left unchanged
    refreshes: bool = False  # an existing file, which toolgen alone writes
    advice: str = ""  # what to do by hand if the file exists
    note: str = ""  # what to do by hand if it is written


def create_project(root: Path, project: Project | None) -> tuple[list[NewFile], list[NewFile]]:
    """Write the files of a project at `root`, which may have a configuration already.

    Return those that were written, and those that existed and were kept. Raises `UnableError`.
    """
    if not root.is_dir():
        raise UnableError("no-configuration", f"{root} is not a folder", "create it first")
    written, kept = [], []
    for file in project_files(root, project):
        exists = not file.appends and kind_of(file.at, file.path) is not None
        if exists and not (file.refreshes and read_text(file.at, file.path) != file.text):
            kept.append(file)
            continue
        if exists:
            replace_files(file.at, {file.path: file.text})
        else:
            create_files(file.at, {file.path: file.text}, append=file.appends)
        written.append(file)
    return written, kept


def planned_project(root: Path) -> Project:
    """Return the project that `create_project` would make at `root`, and write nothing."""
    file = next(project_files(root, None))
    shared = read_text(root, PYPROJECT)
    own, whole = (None, f"{shared}\n{file.text}") if file.appends else (file.text, shared)
    table = find_table(own, whole)
    assert table is not None  # the template writes it
    return make_project(root, table, shared)


def project_files(root: Path, project: Project | None) -> Iterator[NewFile]:
    """Yield the files of a project at `root`, which may have a configuration already."""
    package = _free_package(root)
    if project is None:
        shared = read_text(root, PYPROJECT) is not None
        configuration = PYPROJECT if shared else FILE
        version = None if static_version(read_text(root, PYPROJECT)) else "0.1.0"
        text = render_file(
            "_init/toolgen.toml.jinja",
            table=shared,
            implementations=package,
            server=_server_name(root),
            version=version,
        )
        yield NewFile(configuration, text, root, appends=shared)
    else:
        configuration = project.file
        yield NewFile(configuration, "", root)
        package = project.implementations or ""
    specs = project.specs if project else "specs"
    yield NewFile(f"{specs}/{SCHEMA}", schema_text(), root, refreshes=True)
    if package:
        base = project.path_of(package) if project else package
        yield NewFile(f"{base}/__init__.py", package_text([]), root)
    yield NewFile("conftest.py", _CONFTEST, root)
    if project is None or project.test_fixtures is None:
        fixtures = render_file(
            "_init/toolgen_fixtures.py.jinja", package=project.package if project else "generated"
        )
        yield NewFile("tests/toolgen_fixtures.py", fixtures, root)
    yield NewFile(".gitignore", render_file("_init/gitignore.jinja"), root)
    yield _attributes(root, project.output if project else "generated")
    yield from _repository_files(root)


def _server_name(root: Path) -> str:
    """Return the name of the distribution in pyproject.toml, or else the folder's."""
    name = project_metadata(read_text(root, PYPROJECT)).get("name")
    return plain_name(str(name or "")) or plain_name(root.name) or "tools"


def _attributes(root: Path, output: str) -> NewFile:
    """Return the attributes of generated files, which git reads in the project's folder."""
    text = render_file("_init/gitattributes.jinja", output=output)
    there = read_text(root, _ATTRIBUTES)
    appends = there is not None and f"{output}/" not in there
    return NewFile(_ATTRIBUTES, text, root, appends=appends)


def _repository_files(root: Path) -> Iterator[NewFile]:
    """Yield the CI workflow and the hook, which belong at the root of the repository."""
    top = repository(root) or root
    below = root.relative_to(top).as_posix()
    if not below.isprintable() or "${{" in below:  # which GitHub would replace
        raise UnableError("cannot-write", f"{below!a} cannot be in a workflow", "rename the folder")
    wanted = _requirement(top)
    yield _workflow(top, below, wanted)
    words, known = ("check", "toolgen") if below == "." else ("check --all", "check --all")
    entry, whole = (
        render_file("_init/pre-commit.yaml.jinja", whole=each, words=words, requirement=wanted)
        for each in (False, True)
    )
    there = read_text(top, _PRE_COMMIT) or ""
    advice = "" if known in there else f"add this to its repos:\n\n{entry}"
    yield NewFile(_PRE_COMMIT, whole, top, advice=advice)


def _workflow(top: Path, below: str, wanted: str) -> NewFile:
    """Return the workflow of all projects of a repository; to one that is there, the project is added."""
    project = json.dumps(below, ensure_ascii=False)
    there = read_text(top, _WORKFLOW)
    if there is None:
        install = shlex.quote(wanted) if wanted else ""
        text = render_file("_init/workflow.yml.jinja", project=project, requirement=install)
        note = "" if wanted else f"{_WORKFLOW} fails until you write there where CI installs toolgen from"
        return NewFile(_WORKFLOW, text, top, note=note)
    found = _PROJECTS.search(there)
    if found is None:
        advice = "" if below == "." else f"run toolgen there in {project}, too"
        return NewFile(_WORKFLOW, there, top, advice=advice)
    is_in = project in found["projects"]
    text = there if is_in else f"{there[: found.end()]}, {project}{there[found.end() :]}"
    return NewFile(_WORKFLOW, text, top, refreshes=True)


def _free_package(root: Path) -> str:
    """Return a name for the package of implementations that is not in use."""
    taken = (root / "tools").exists() and not (root / "tools" / "__init__.py").exists()
    return "tool_implementations" if taken or (root / "tools.py").exists() else "tools"


def _requirement(top: Path) -> str:
    """Return what pip installs the same toolgen from, in the repository at `top`; empty if it is not known.

    It is a commit of a repository, as recorded by PEP 610, or a folder or file inside the repository. A
    version alone would name whatever a package index has under that name, which may be somebody else's.
    """
    try:
        found = json.loads(distribution("toolgen").read_text("direct_url.json") or "{}")
        url = urlsplit(str(found["url"]))
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return ""
    if url.scheme == "file":
        return _inside(top, Path(url2pathname(url.path)))
    user, _, host = url.netloc.rpartition("@")
    if user == "git":  # of ssh://git@host: not a secret
        host = f"git@{host}"
    plain = urlunsplit((url.scheme, host, url.path, "", ""))
    vcs = found.get("vcs_info")
    commit = str(vcs.get("commit_id")) if isinstance(vcs, dict) and vcs.get("vcs") == "git" else ""
    is_plain = url.scheme in ("https", "ssh") and _PLAIN_URL.fullmatch(plain)
    if not is_plain or not _COMMIT.fullmatch(commit):
        return ""
    below = found.get("subdirectory")
    fragment = f"#subdirectory={below}" if isinstance(below, str) and _PLAIN_URL.fullmatch(below) else ""
    return f"{_EXTRA} @ git+{plain}@{commit}{fragment}"


def _inside(top: Path, path: Path) -> str:
    """Return a path inside the repository as a requirement relative to its root; empty if it is outside."""
    try:
        below = path.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        return ""
    return f"./{below}[cli]" if _PLAIN_URL.fullmatch(below) and path.exists() and below != "." else ""
