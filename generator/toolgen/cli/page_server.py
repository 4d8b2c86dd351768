"""Serve the page of a project, and the tools that it calls: what `docs --serve` and `dev` have in common."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli import diagnostics
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_package import SERVER_HINT, GeneratedPackage
from toolgen.cli.output import say
from toolgen.cli.today import today
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError, find_project

if TYPE_CHECKING:
    from toolgen.changes.comparing.judgement import Judgement
    from toolgen.documents.catalogue import Follower, LivePage
    from toolgen.serving import ToolServer
    from toolgen.testing.mock.toolkit import ServedSpecs


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a page shows and calls."""

    against: str | None = None
    implementations: bool = False  # call these, and not mocks
    describe: Callable[[Judgement], Sequence[str]] = lambda _: ()  # what changed, as lines
    followers: Sequence[Follower] = ()  # what is done after each change, besides


def serve_page(args: argparse.Namespace, options: PageOptions) -> ExitCode:
    """Serve the page until ^C. Raises `SpecErrors` and `UnableError`."""
    # the page's server needs another extra, the command's help does not
    from toolgen.documents.catalogue import LivePage, ProjectCatalogue
    from toolgen.documents.pages import DocsPages
    from toolgen.serving.auth.configuration import authentication_of
    from toolgen.serving.auth.grant import scopes_of
    from toolgen.serving.command import serve

    stop = threading.Event()
    followers = list(options.followers)

    def build() -> ToolServer:
        if options.implementations:
            return _implementations(args)
        server, reload = _mock(args)
        followers.insert(0, reload)
        return server

    def make_pages(server: ToolServer) -> DocsPages:
        state = server.state
        needed = {scope for each in state.toolkit.definitions.values() for scope in scopes_of(each)}
        has_tokens = authentication_of(state.settings) is not None
        pages = DocsPages(
            "the implementation" if options.implementations else "the mock",
            scopes=None if has_tokens else tuple(sorted(needed)),
            reloads=True,
        )
        page = LivePage(
            ProjectCatalogue(args.start),
            pages,
            _report,
            _refusal_of(args.start),
            today,
            against=options.against,
            describe=options.describe,
            followers=followers,
        )
        page.first()
        threading.Thread(target=_follow, args=(page, stop), name="page", daemon=True).start()
        return pages

    try:
        return ExitCode(serve(build, args, make_pages))
    finally:
        stop.set()


def _follow(page: LivePage, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            page.follow(stop)
        except Exception as error:  # the server goes on with the page that it has
            diagnostics.report_bug(error)
            stop.wait(1)


def _implementations(args: argparse.Namespace) -> ToolServer:
    project = find_project(Path(args.start))
    sys.path.insert(0, str(project.import_root))
    server: ToolServer = (
        GeneratedPackage(project.package, project.import_root)
        .module("mcp_server", SERVER_HINT)
        .build_server()
    )
    return server


def _mock(args: argparse.Namespace) -> tuple[ToolServer, Follower]:
    """Return a server of mocks, and what makes them follow the specs."""
    from toolgen.testing.mock.toolkit import ServedSpecs

    mock = ServedSpecs(Path(args.start))

    def reload() -> Sequence[str]:
        mock.reload()
        return ()

    return mock_server(mock), reload


def mock_server(mock: ServedSpecs) -> ToolServer:
    """Return an MCP server of mocks."""
    from toolgen.serving import build_server

    project = mock.source.project
    return build_server(
        mock.toolkit,
        name=project.server_name or project.package,
        version=project.server_version,
        instructions=project.server_instructions,
    )


def _report(lines: Sequence[str]) -> None:
    say(*(lines or ["toolgen: no findings"]))


def _refusal_of(start: str) -> Callable[[SpecErrors | UnableError], Sequence[str]]:
    def refusal(error: SpecErrors | UnableError) -> Sequence[str]:
        from toolgen.cli.report.text import render

        if isinstance(error, UnableError):
            return [
                f"error[{error.code}] {error.message}",
                *([f"  = help: {error.hint}"] if error.hint else []),
            ]
        texts = diagnostics.source_texts(error.diagnostics, start) if error.texts is None else error.texts
        shown = render(error.diagnostics, texts).splitlines()
        return [*shown, "the page and the mock show the last specs that were valid"]

    return refusal
