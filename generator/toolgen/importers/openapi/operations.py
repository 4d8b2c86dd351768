"""The operations of a document, in its order, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.openapi.document import Library, Place
from toolgen.runtime.http.media import TOKEN
from toolgen.suggestions import did_you_mean, quoted

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_MORE = "additionalOperations"  # since 3.2: methods of other names, as they are sent


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, and the path item that it is part of."""

    method: str  # in lower case
    path: str
    node: dict[str, Any]
    place: Place
    item: dict[str, Any]
    item_place: Place

    @property
    def name(self) -> str:
        """What the document calls it; else, method and path."""
        given = self.node.get("operationId")
        return given if isinstance(given, str) and given else f"{self.method}_{self.path.strip('/')}"

    @property
    def title(self) -> str:
        """Method and path: `GET /pets`."""
        return f"{self.method.upper()} {self.path}"

    @property
    def tags(self) -> list[str]:
        """The tags that are text."""
        given = self.node.get("tags")
        found = [tag for tag in given if isinstance(tag, str) and tag] if isinstance(given, list) else []
        return list(dict.fromkeys(found))


def all_operations(library: Library) -> list[Operation]:
    """Every operation below `paths`. Raises `SourceError` where something there is no operation."""
    found: list[Operation] = []
    paths = library.member(library.root, Place("", ()), "paths")
    for path in paths:
        if path.startswith("/"):
            item, place = library.mapping(Place("", ("paths", path)))
            found.extend(_of_item(library, path, item, place))
    return found


def _of_item(library: Library, path: str, item: dict[str, Any], place: Place) -> Iterator[Operation]:
    more = library.member(item, place, _MORE)
    methods = [(method, place / method) for method in METHODS if method in item]
    methods.sort(key=lambda found: list(item).index(found[0]))
    methods += [(method.lower(), place / _MORE / method) for method in more]
    for method, at in methods:
        if not TOKEN.fullmatch(method):
            raise library.refuse(at, "no method can be called so")
        node, at = library.mapping(at)
        yield Operation(method, path, node, at, item, place)


def selected(
    operations: Sequence[Operation], include: Sequence[str], exclude: Sequence[str]
) -> list[Operation]:
    """Those that one of `include` matches (all, where there are none) and none of `exclude`.

    Raises `SourceError` for a pattern that matches nothing: it is mistyped.
    """
    for pattern in (*include, *exclude):
        if operations and not any(_matches(operation, pattern) for operation in operations):
            known = [word for operation in operations for word in _words(operation)]
            raise SourceError(
                f"no operation matches {quoted(pattern)}",
                did_you_mean(pattern, known)
                or "a pattern matches an operationId, a path, 'GET /path' or a tag; * stands for anything",
            )
    found = [
        operation
        for operation in operations
        if (not include or any(_matches(operation, pattern) for pattern in include))
        and not any(_matches(operation, pattern) for pattern in exclude)
    ]
    if operations and not found:
        raise SourceError("no operation is left", "include more, or exclude less")
    return found


def _matches(operation: Operation, pattern: str) -> bool:
    return any(fnmatchcase(word, pattern) for word in _words(operation))


def _words(operation: Operation) -> tuple[str, ...]:
    return (operation.name, operation.path, operation.title, *operation.tags)
