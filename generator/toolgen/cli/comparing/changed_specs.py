"""Which specs can differ between two versions of a project: only these are parsed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Set
from dataclasses import dataclass

from toolgen.incremental import Texts, is_shared_text


@dataclass(frozen=True, slots=True)
class ChangedSpecs:
    """The specs of both sides that can differ, with the shared files that they may use."""

    old: Texts
    new: Texts


def find_changed(old: Texts, new: Texts) -> ChangedSpecs:
    """Return the specs whose text differs, or the text of a shared file that they may refer to.

    Line ends do not count. Nothing is parsed but files that look like shared schemas.
    """
    paths = old.keys() | new.keys()
    changed = {path for path in paths if _differ(old.get(path), new.get(path))}
    if not changed:
        return ChangedSpecs({}, {})
    shared = {path for path, text in new.items() if is_shared_text(path, text)}
    shared |= {path for path in old if path in changed and is_shared_text(path, old[path])}
    wanted = changed | _users(changed & shared, paths, old, new)
    while True:  # what one side refers to, the other side may still have
        found = ChangedSpecs(_with_shared(wanted, shared, old), _with_shared(wanted, shared, new))
        if found.old.keys() | found.new.keys() <= wanted:
            return found
        wanted |= found.old.keys() | found.new.keys()


def _differ(one: bytes | str | None, other: bytes | str | None) -> bool:
    if one is None or other is None:
        return True
    return one is not other and one != other and _unix(one) != _unix(other)


def _users(changed: Set[str], paths: Set[str], old: Texts, new: Texts) -> set[str]:
    """Return the paths of files that may refer to one of the `changed` shared files, directly or not."""
    users: set[str] = set()
    waiting = changed
    while waiting:
        names = _names(waiting)
        waiting = {
            path
            for path in paths - users - changed
            if any(path in side and _may_name(side[path], names) for side in (old, new))
        }
        users |= waiting
    return users


def _with_shared(wanted: Set[str], shared: Set[str], side: Texts) -> dict[str, bytes | str]:
    """Return the `wanted` files of a side, and the shared files that they may refer to, directly or not."""
    found = {path: side[path] for path in sorted(wanted) if path in side}
    waiting = list(found)
    while waiting:
        text = side[waiting.pop()]
        for path in sorted(shared - found.keys()):
            if path in side and _may_name(text, _names([path])):
                found[path] = side[path]
                waiting.append(path)
    return found


def _names(paths: Iterable[str]) -> list[bytes]:
    return sorted({posixpath.basename(path).encode("utf-8", "surrogateescape") for path in paths})


def _may_name(text: bytes | str, names: Iterable[bytes]) -> bool:
    """True if `text` may refer to a file: it has its name, or an escape that could stand for a part of it."""
    raw = _bytes(text)
    return b"\\" in raw or (b"ref" in raw and (b"%" in raw or any(name in raw for name in names)))


def _unix(text: bytes | str) -> bytes:
    return _bytes(text).removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


def _bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
