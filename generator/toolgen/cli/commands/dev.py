"""Design tools with one command: a page that reloads, mocks to call, lint, and what would break callers.

Follows the specs until ^C. After each change the page shows them, then the mock serves them, lint runs, and
the contracts are compared with another version: main, where that has the project. Only --implementations
runs code of the project.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.changes.comparing.against import find_commit
from toolgen.changes.comparing.sides import files_at
from toolgen.cli import diagnostics
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_package import SERVER_HINT, GeneratedPackage, add_frozen, bring_up_to_date
from toolgen.cli.linting import lint_specs
from toolgen.cli.output import say
from toolgen.cli.parser import add_against, add_flag
from toolgen.cli.report.text import lines_of_findings, render, render_entries, summary_of_findings
from toolgen.cli.today import today
from toolgen.documents.catalogue import ProjectCatalogue
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError, find_project
from toolgen.project.building.project_build import read_inputs
from toolgen.project.building.watch import project_changes
from toolgen.serving.command import add_server_flags, serve

if TYPE_CHECKING:
    from toolgen.documents.pages import DocsPages
    from toolgen.serving import ToolServer

_DEFAULT = "main"

Follower = Callable[[], Sequence[str]]
"""Called after a change, once the page shows it. Returns lines for the page and the terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_against(parser, "the version to compare the contracts with (default: main, if it has the project)")
    add_frozen(parser)
    add_flag(parser, "--implementations", "call the implementations, and not mocks")
    add_server_flags(parser, is_http=True)


def run(args: argparse.Namespace) -> ExitCode:
    return serve_page(args, args.against or (_DEFAULT if _is_on_main(args.start) else None))


def _is_on_main(start: str) -> bool:
    """True if main has this project, with specs."""
    inputs = read_inputs(start)
    try:
        main = find_commit(_DEFAULT, start)
    except UnableError:
        return False
    try:
        files_at(main, inputs.project)
    except UnableError as error:
        if error.code not in ("no-configuration", "no-specs"):
            raise
        return False
    return True


def _findings(start: str) -> Sequence[str]:
    """Return what lint finds, as lines."""
    inputs = read_inputs(start)
    result = lint_specs(inputs.specs, inputs.targets, inputs.settings, inputs.project.lint)
    shown = [entry for entry in result.report.entries if not entry.accepted]
    return render_entries(shown, result.report.texts, color=False).splitlines()


def serve_page(args: argparse.Namespace, against: str | None) -> ExitCode:
    """Serve the page until ^C; `against` is the other version. Raises `SpecErrors`, `UnableError`."""
    # the page's server needs another extra, the command's help does not
    from toolgen.documents.pages import DocsPages
    from toolgen.serving.auth.configuration import authentication_of
    from toolgen.serving.auth.grant import scopes_of
    from toolgen.testing.mock.toolkit import ServedSpecs

    stop = threading.Event()
    followers: list[Follower] = []

    def build() -> ToolServer:
        if args.implementations:
            return _implementations(args)
        mock = ServedSpecs(Path(args.start))
        bring_up_to_date(find_project(Path(args.start)), args, serves=True)

        def reload() -> Sequence[str]:
            mock.reload()
            return ()

        followers.append(reload)
        return mock.server()

    def make_pages(server: ToolServer) -> DocsPages:
        state = server.state
        needed = {scope for each in state.toolkit.definitions.values() for scope in scopes_of(each)}
        has_tokens = authentication_of(state.settings) is not None
        pages = DocsPages(
            "the implementation" if args.implementations else "the mock",
            scopes=None if has_tokens else tuple(sorted(needed)),
            reloads=True,
        )
        page = LivePage(args.start, pages, against, (*followers, partial(_findings, args.start)))
        threading.Thread(target=page.follow, args=(stop,), name="page", daemon=True).start()
        return pages

    try:
        return ExitCode(serve(build, args, make_pages))
    finally:
        stop.set()


class LivePage:
    """Shows the catalogue of the project at or above a folder, again after every change.

    Raises `SpecErrors` and `UnableError` when it is made; later, they are shown.
    """

    def __init__(
        self, start: str, pages: DocsPages, against: str | None = None, followers: Sequence[Follower] = ()
    ) -> None:
        self._start, self._pages, self._against, self._followers = start, pages, against, followers
        self._catalogue = ProjectCatalogue(start)
        self._reported: tuple[str, ...] = ()
        self._compare()
        self._document = self._catalogue.read()
        self._show(())

    def follow(self, stop: threading.Event) -> None:
        """Show the catalogue again after every change, until `stop` is set, unless specs have faults."""
        while not stop.is_set():
            try:
                for _ in project_changes(self._start, stop=stop):  # at once, for changes since the start
                    self._refresh()
            except Exception as error:  # the server goes on with the page that it has
                diagnostics.report_bug(error)
                stop.wait(1)

    def _refresh(self) -> None:
        lines: list[str] = []
        try:
            self._document = self._catalogue.read()
            self._show(self._reported)
            for follower in self._followers:
                lines += follower()
            lines += self._compare()
            self._document = self._catalogue.document()
        except (SpecErrors, UnableError) as error:
            lines = _refusal(error, self._start)
        self._show(lines)
        if tuple(lines) != self._reported:
            self._reported = tuple(lines)
            say(*(lines or ["toolgen: no findings"]))

    def _compare(self) -> list[str]:
        """Compare the contracts with those of the other version; return what changed."""
        if self._against is None:
            return []
        found = self._catalogue.compare(self._against, today())
        return [*lines_of_findings(found, color=False), summary_of_findings(found)] if found.findings else []

    def _show(self, lines: Sequence[str]) -> None:
        self._pages.show(self._document, {"title": "Findings", "lines": list(lines)})


def _implementations(args: argparse.Namespace) -> ToolServer:
    project = find_project(Path(args.start))
    bring_up_to_date(project, args)
    sys.path.insert(0, str(project.import_root))
    package = GeneratedPackage(project.package, project.import_root)
    server: ToolServer = package.module("mcp_server", SERVER_HINT).build_server()
    return server


def _refusal(error: SpecErrors | UnableError, start: str) -> list[str]:
    if isinstance(error, UnableError):
        return diagnostics.lines_of_error(error)
    texts = diagnostics.source_texts(error.diagnostics, start) if error.texts is None else error.texts
    shown = render(error.diagnostics, texts).splitlines()
    return [*shown, "the page and the mock show the last specs that were valid"]
