"""Read the upstreams of a project's implementations, and judge them by their locks: `check --upstream`."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from toolgen.base.files import read_named
from toolgen.changes.comparing.guard import judge_server
from toolgen.changes.comparing.lock import read_lock
from toolgen.changes.comparing.sides import Judgement
from toolgen.project import Project, UnableError, read_text, reason
from toolgen.project.files.reading import names_in
from toolgen.runtime.errors import MissingDependencyError
from toolgen.serving.features import PACKAGE
from toolgen.sources.forwarded_modules import UPSTREAMS
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.mcp_client.connection import list_server
from toolgen.sources.mcp_client.listing import Listing
from toolgen.upstream import Upstream

_OPTIONS: Final = ("headers", "env", "drift_description")  # of `Upstream`, by which it is compared


@dataclass(frozen=True, slots=True)
class JudgedUpstream:
    """An upstream, and what has changed there since its lock was written."""

    server: Listing
    lock: str  # path, as messages show it
    judgement: Judgement
    sync: Sequence[str]  # the command that writes the lock again


def judge_upstreams(project: Project, today: date) -> list[JudgedUpstream]:
    """Return the upstreams of the project's tools, judged as the running server judges them.

    Their modules are read, and not run. Raises UnableError if there is none, or an upstream or its lock
    cannot be read.
    """
    if project.implementations is None:
        message = f"--upstream: {project.file} has no `implementations` setting"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')
    folder = project.path_of(f"{project.implementations}.{UPSTREAMS}")
    names = [name for name in names_in(project.root, folder) if name.endswith(".py")]
    found = [each for name in names if (each := _read(project, f"{folder}/{name}")) is not None]
    if not found:
        raise UnableError(
            "usage", "--upstream: no tool is forwarded to another server", "see `toolgen import mcp --help`"
        )
    return [_judged(each, project, today) for each in found]


def _read(project: Project, path: str) -> Upstream | None:
    """Return the upstream that a module makes; None if it makes none. Raises UnableError."""
    try:
        nodes = ast.walk(ast.parse(read_text(project.root, path) or ""))
        calls = (each for each in nodes if isinstance(each, ast.Call))
        call = next((each for each in calls if getattr(each.func, "id", "") == "Upstream"), None)
        if call is None:
            return None
        options = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg in _OPTIONS}
        lock = project.root / path.replace(".py", ".lock")
        upstream = Upstream(ast.literal_eval(call.args[0]), lock=lock, **options)
    except (SyntaxError, ValueError, TypeError, IndexError, RecursionError, MemoryError) as error:
        message = f"{path}: --upstream reads the arguments of `Upstream` as literals: {error}"
        raise UnableError("usage", message, "write them there, with ${VARIABLE} for what differs") from None
    features = project.path_of(f"{project.implementations}.{PACKAGE}")
    upstream.has_features = read_text(project.root, f"{features}/{Path(path).name}") is not None
    return upstream


def _judged(upstream: Upstream, project: Project, today: date) -> JudgedUpstream:
    has_features, shown = upstream.has_features, upstream.lock.relative_to(project.root).as_posix()
    try:
        content = read_named(upstream.lock)
    except OSError as error:
        message = f"cannot read {shown}: {reason(error)}"
        raise UnableError("no-lock", message, f"write it: toolgen {shlex.join(_sync(upstream))}") from None
    try:
        address = upstream.address()
    except MissingDependencyError as error:
        raise UnableError("usage", f"{shown}: {error.message}", "set it, as for the server") from None
    with source_errors():
        pinned, listing = read_lock(content, shown), list_server(address, "reading an upstream")
    judgement = judge_server(
        _forwarded(pinned, has_features),
        _forwarded(listing, has_features),
        file=shown,
        text=content.decode("utf-8-sig"),
        today=today,
        allow_texts=upstream.drift_description == "log",
    )
    return JudgedUpstream(listing, shown, judgement, _sync(upstream))


def _sync(upstream: Upstream) -> list[str]:
    """Return the command that updates specs and lock; headers that are more than a variable are left out."""
    named = [(name, re.fullmatch(r"\$\{(\w+)\}", value)) for name, value in upstream.headers.items()]
    words = ["import", "mcp", "--implement", "--sync"]
    words += [word for name, found in named if found for word in ("--header", f"{name}={found[1]}")]
    words += [word for name in upstream.env for word in ("--env", name)]
    source = shlex.split(upstream.source) if upstream.is_command else [upstream.source]
    return [*words, *(["--", *source] if upstream.is_command else source)]


def _forwarded(listing: Listing, has_features: bool) -> Listing:
    """Return what is forwarded of a listing: its instructions never are."""
    listing = replace(listing, instructions="")
    return listing if has_features else replace(listing, resources=(), resource_templates=(), prompts=())
