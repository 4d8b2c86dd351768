"""All pages of a tool: the cursor of each response is sent with the next request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgen.schema.document import pointer_tokens
from toolgen.serving.received_results import response_of

from .tool import ClientTool


class PageCursor:
    """Where the next page begins."""

    def __init__(self, tool: ClientTool) -> None:
        page = tool.definition.get("page")
        if page is None:
            raise TypeError(f"{tool.name} has no pages: its spec has no `page`")
        self._of_request, self._of_response = pointer_tokens(page["from"]), pointer_tokens(page["cursor"])
        self._cursor: Any = None
        self._seen: set[str] = set()
        self.has_more = True

    def applied(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments of the next page."""
        if self._cursor is None:
            return arguments
        return _replaced(arguments, self._of_request, self._cursor)

    def move(self, result: Any) -> None:
        """Go on to the page after a result. A server that repeats a cursor has no more pages."""
        value = response_of(result, lambda _: True)
        for step in self._of_response:
            value = value.get(step) if isinstance(value, Mapping) else None
        self._cursor = value if isinstance(value, str) else None
        self.has_more = self._cursor is not None and self._cursor not in self._seen
        if self._cursor is not None:
            self._seen.add(self._cursor)


def _replaced(value: Any, path: Sequence[str], new: Any) -> dict[str, Any]:
    copied = dict(value) if isinstance(value, Mapping) else {}
    step, *rest = path
    copied[step] = _replaced(copied.get(step), rest, new) if rest else new
    return copied
