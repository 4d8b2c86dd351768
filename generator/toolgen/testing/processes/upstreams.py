"""Find the upstreams of a project's implementations, and judge them by their locks: `check --upstream`."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Final

from toolgen.base.files import read_named
from toolgen.changes.comparing.guard import judge_server
from toolgen.changes.comparing.lock import read_lock
from toolgen.changes.comparing.sides import Judgement
from toolgen.project import Project, UnableError, reason
from toolgen.runtime.errors import MissingDependencyError
from toolgen.runtime.implementations.registry import load_tool
from toolgen.runtime.tool import ImplementationError
from toolgen.serving.features import load_features
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.mcp_client.connection import list_server
from toolgen.sources.mcp_client.listing import Listing
from toolgen.testing.processes.child_run import report_events, run_child
from toolgen.testing.project_tools import require_generated
from toolgen.upstream import ForwardedFeatures, Upstream

_SECONDS: Final = 600.0  # that importing the implementations may take
_FIELDS: Final = ("source", "headers", "env", "drift_description", "has_features")
_HINT: Final = "run `toolgen check --implementations`"


@dataclass(frozen=True, slots=True)
class JudgedUpstream:
    """An upstream, and what has changed there since its lock was written."""

    server: Listing
    lock: str  # path, as messages show it
    judgement: Judgement
    sync: Sequence[str]  # the command that writes the lock again


def judge_upstreams(project: Project, today: date) -> list[JudgedUpstream]:
    """Return the upstreams of the project's tools, judged as the running server judges them.

    Imports the implementations, which runs their code, in a process of its own. Raises UnableError if they
    cannot be imported, none of them forwards, or an upstream or its lock cannot be read.
    """
    if project.implementations is None:
        message = f"--upstream: {project.file} has no `implementations` setting"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')
    require_generated(project)
    folder = project.import_root
    task = {"folder": str(folder), "package": project.package}
    run = run_child("toolgen.testing.processes.upstreams", task, folder=folder, seconds=_SECONDS)
    for broken in run.all("broken"):
        message = f"an implementation cannot be imported: {broken}"
        raise UnableError("not-generated", message, _HINT)
    if not run.all("done"):
        message = "importing the implementations ended the process, or took too long"
        raise UnableError("not-generated", message, _HINT)
    found = run.all("upstream")
    if not found:
        raise UnableError(
            "usage", "--upstream: no tool is forwarded to another server", "see `toolgen import mcp --help`"
        )
    return [_judged(each, project, today) for each in found]


def _judged(found: dict[str, Any], project: Project, today: date) -> JudgedUpstream:
    has_features, source = found.pop("has_features"), found.pop("source")
    upstream = Upstream(source, **found)
    lock = upstream.lock
    shown = lock.relative_to(project.root).as_posix() if lock.is_relative_to(project.root) else lock.name
    try:
        content = read_named(lock)
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


def main(result: str, trace: str) -> None:
    """Run in the child: the events are {"upstream": …}, {"broken": …}."""
    report_events(result, trace, _report)


def _report(task: Any, hung: TextIOWrapper, write: Any) -> None:
    sys.path.insert(0, task["folder"])
    for upstream in _upstreams(import_module(f"{task['package']}.catalog")):
        fields = {name: getattr(upstream, name) for name in _FIELDS}
        write(upstream={**fields, "lock": str(upstream.lock.absolute())})


def _upstreams(catalog: Any) -> Iterator[Upstream]:

    sources = load_features(catalog, strict=False)  # before the tools: they mark their upstreams
    found = [each.upstream for each in sources if isinstance(each, ForwardedFeatures)]
    for definition in catalog.TOOLS.values():
        try:
            tool = load_tool(catalog, definition)
        except ImplementationError:  # it is not served either
            continue
        upstream = getattr(tool, "upstream", None)
        if isinstance(upstream, Upstream):
            found.append(upstream)
    yield from {id(each): each for each in found}.values()
