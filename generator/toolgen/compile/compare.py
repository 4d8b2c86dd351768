"""Tree, disk → changes: what `generate` writes and `check` shows."""

from __future__ import annotations

from hashlib import sha256

from toolgen.data.manifest import Manifest
from toolgen.data.tree import Change, Kind, Tree


def compare(tree: Tree, on_disk: Tree, manifest: Manifest) -> tuple[Change, ...]:
    """Every file of `tree` or of `manifest` that is not on disk as `tree` says, sorted by path.

    `on_disk` holds those of these files that exist; bytes that are not UTF-8 as surrogate escapes.
    """
    changes = (
        _change(path, on_disk.get(path), tree.get(path), manifest)
        for path in sorted(tree.keys() | (manifest.outputs.keys() & on_disk.keys()))
    )
    return tuple(change for change in changes if change)


def digest(text: str | bytes) -> str:
    """The hash by which a manifest remembers `text`: sha256 of its UTF-8 bytes, in hex."""
    return sha256(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")).hexdigest()


def _change(path: str, before: str | None, after: str | None, manifest: Manifest) -> Change | None:
    if before == after:
        return None
    if before is None:
        return Change(Kind.MISSING, path, None, after)
    written = manifest.outputs.get(path)
    if written is None or written.sha256 != digest(before):
        return Change(Kind.EDITED, path, before, after)
    return Change(Kind.EXTRA if after is None else Kind.CHANGED, path, before, after)
