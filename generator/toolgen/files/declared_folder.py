"""A folder that an operator declares as input of a build action, whose links lead where the operator says."""

from __future__ import annotations

from .folder import Entry, Folder, entries_of
from .reading import MAX_BYTES, read_named


class DeclaredFolder(Folder):
    """A `Folder` whose links are followed wherever they lead: sandboxes of build systems are made of links.

    Only regular files of limited size are read, as everywhere.
    """

    def read(
        self, path: str, *, limit: int = MAX_BYTES, links: bool = True, unchanging: bool = False
    ) -> bytes:
        """Return the bytes of a regular file."""
        if not links:
            return super().read(path, limit=limit, links=False, unchanging=unchanging)
        return read_named(self.full(path), limit=limit, unchanging=unchanging)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what is in a folder, sorted by name: of a link, the kind of what it leads to."""
        return entries_of(self.full(path) or ".", f"{path}/" if path else "", links=True)
