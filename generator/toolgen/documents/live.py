"""Follow the specs of a project while somebody works on them: first the page, then what takes longer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from toolgen.changes.comparing.judgement import Judgement
from toolgen.documents.pages import DocsPages
from toolgen.documents.project_catalogue import ProjectCatalogue
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.project.building.watch import project_changes
from toolgen.schema.document import JsonObject

Follower = Callable[[], Sequence[str]]
"""What is done after a change, once the page shows it; returns lines for the page and the terminal."""


@dataclass(slots=True)
class LivePage:
    """Shows the catalogue of a project on a page, again after every change.

    Args:
        catalogue: of the project.
        pages: the page.
        report: called with what was found after each change, other than before.
        refused: returns an error of the specs or of the project as lines.
        against: a version that the contracts are compared with.
        describe: returns what changed since then as lines.
        followers: what else is done after a change.
    """

    catalogue: ProjectCatalogue
    pages: DocsPages
    report: Callable[[Sequence[str]], None]
    refused: Callable[[SpecErrors | UnableError], Sequence[str]]
    today: Callable[[], date]
    against: str | None = None
    describe: Callable[[Judgement], Sequence[str]] = lambda _: ()
    followers: Sequence[Follower] = ()
    _document: JsonObject = field(default_factory=dict)
    _reported: tuple[str, ...] = ()

    def first(self) -> JsonObject:
        """Show the catalogue for the first time. Raises `SpecErrors` and `UnableError`."""
        self._compare()
        self._document = self.catalogue.read()
        self.pages.show(self._document, _news(()))
        return self._document

    def follow(self, stop: threading.Event) -> None:
        """Show the catalogue again after every change, until `stop` is set, unless specs have faults."""
        for _ in project_changes(self.catalogue.start, stop=stop):  # at first, for changes since `first`
            self._refresh()

    def _refresh(self) -> None:
        lines: list[str] = []
        try:
            self._document = self.catalogue.read()
            self.pages.show(self._document, _news(self._reported))
            for follower in self.followers:
                lines += follower()
            lines += self._compare()
            self._document = self.catalogue.document()
        except (SpecErrors, UnableError) as error:
            lines = list(self.refused(error))
        self.pages.show(self._document, _news(lines))
        if tuple(lines) != self._reported:
            self._reported = tuple(lines)
            self.report(lines)

    def _compare(self) -> Sequence[str]:
        if self.against is None:
            return ()
        return self.describe(self.catalogue.compare(self.against, self.today()))


def _news(lines: Sequence[str]) -> JsonObject:
    return {"title": "Findings", "lines": list(lines)}
