"""References inside one document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

Path = tuple[str | int, ...]


def resolve(root: Any, reference: object) -> tuple[Any, Path] | None:
    """The place that `#`, `#/a/JSON/pointer` or `#anchor` names, and its path; None if there is none."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    fragment = unquote(reference[1:])
    if fragment and not fragment.startswith("/"):
        return _anchored(root, fragment, ())
    found: Any = root
    path: Path = ()
    for token in fragment.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found, path = found[int(key)], (*path, int(key))
        elif isinstance(found, Mapping) and key in found:
            found, path = found[key], (*path, key)
        else:
            return None
    return found, path


def _anchored(root: Any, name: str, path: Path) -> tuple[Any, Path] | None:
    if isinstance(root, Mapping):
        if root.get("$anchor") == name or root.get("$id") == f"#{name}":  # draft-07 writes anchors as `$id`
            return root, path
        children: Any = root.items()
    elif isinstance(root, list):
        children = enumerate(root)
    else:
        return None
    for key, child in children:
        if found := _anchored(child, name, (*path, key)):
            return found
    return None
