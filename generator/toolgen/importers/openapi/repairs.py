"""What was mended in a document: each kind once, with how often and where first."""

from __future__ import annotations

from toolgen.importers.openapi.document import Library, Place


class Repairs:
    """Counts of what was done, in the order in which it was met first."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._met: dict[str, tuple[int, str]] = {}

    def note(self, what: str, at: Place) -> None:
        """`what` was done once more, at `at`."""
        times, first = self._met.get(what, (0, ""))
        self._met[what] = (times + 1, first or self._library.shown(at))

    def told(self) -> list[str]:
        """A sentence for each kind."""
        return [
            f"{first}: {what}" + (f" ({times:,} places)" if times > 1 else "")
            for what, (times, first) in self._met.items()
        ]
