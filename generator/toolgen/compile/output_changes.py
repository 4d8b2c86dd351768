"""Find the files that are new, changed, edited or stale: what `generate` writes and `check` shows.

Line ends do not count: git may convert them, so that one commit is LF for some of a team and CRLF for others.
"""

from __future__ import annotations

import re
from hashlib import sha256

from toolgen.data.changes import Change, ChangeKind, Tree
from toolgen.data.manifest import Manifest

_CONFLICT = re.compile(r"^<{7} .*^={7}$.*^>{7} ", re.MULTILINE | re.DOTALL)


def find_changes(tree: Tree, on_disk: Tree, manifest: Manifest) -> tuple[Change, ...]:
    """Return the files of `tree` or of `manifest` that are not on disk as in `tree`, sorted by path.

    `on_disk` has those of these files that exist; bytes that are not UTF-8 as surrogate escapes.
    """
    changes = (
        _change(path, on_disk.get(path), tree.get(path), manifest)
        for path in sorted(tree.keys() | (manifest.outputs.keys() & on_disk.keys()))
    )
    return tuple(change for change in changes if change)


def digest(text: str | bytes) -> str:
    """Return the sha256 of the UTF-8 bytes of `text` in hex, as manifests have it: with LF for CRLF."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def has_conflict_markers(text: str) -> bool:
    """True if version control merged two versions of this text and left a conflict in it."""
    return _CONFLICT.search(with_lf(text)) is not None


def with_lf(text: str) -> str:
    """Return `text` with LF for CRLF."""
    return text.replace("\r\n", "\n")


def _change(path: str, before: str | None, after: str | None, manifest: Manifest) -> Change | None:
    if before is None:
        return Change(ChangeKind.MISSING, path, None, after)
    if after is not None and with_lf(before) == with_lf(after):
        return None
    written = manifest.outputs.get(path)
    if written is None or not (written.is_content(digest(before)) or has_conflict_markers(before)):
        return Change(ChangeKind.EDITED, path, before, after)
    return Change(ChangeKind.EXTRA if after is None else ChangeKind.CHANGED, path, before, after)
