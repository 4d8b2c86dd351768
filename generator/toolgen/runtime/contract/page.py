"""Responses that fit: whole items are paged, JSON is never cut.

A page that ends early has a cursor of the runtime, which contains how many items to leave out, and the cursor
of the implementation that they came by. The next call asks the implementation with that cursor again, so that
no state is kept. A caller could send everything in a cursor itself: its number only leaves items out, and the
inner cursor is validated like one that the caller sends.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from toolgen.runtime.errors import InvalidRequestError, TooLargeError
from toolgen.runtime.text import show_path
from toolgen.schema.document import JsonPath, locate, pointer_tokens

if TYPE_CHECKING:
    from toolgen.runtime.definition.tool_definition import ToolDefinition

_PREFIX: Final = "toolgen-page."


@dataclass(frozen=True, slots=True)
class PageRule:
    """The fields `max_result_bytes` and `page` of a tool, prepared for calls."""

    max_bytes: int  # UTF-8 bytes of the response as compact JSON
    items: tuple[str, ...] | None  # path of the items in the response; None: larger responses are refused
    cursor: tuple[str, ...]  # path of the next cursor in the response
    cursor_of_request: tuple[str, ...]

    def limited(self, max_page_bytes: int | None) -> PageRule:
        """Return the rule for a caller that wants smaller pages. Responses without pages keep their limit."""
        if max_page_bytes is None or max_page_bytes >= self.max_bytes or self.items is None:
            return self
        return replace(self, max_bytes=max_page_bytes)


@dataclass(frozen=True, slots=True)
class PagePosition:
    """Where a page begins."""

    arguments: Any = None  # as the implementation gets them
    skip: int = 0  # items of the implementation that earlier pages had
    cursor: str | None = None  # by which the implementation is asked


FIRST: Final = PagePosition()


def page_rule(definition: ToolDefinition) -> PageRule | None:
    """Return the rule for large responses; None if the spec has none."""
    limit, page = definition.get("max_result_bytes"), definition.get("page")
    if limit is None:
        return None
    if page is None:
        return PageRule(limit, None, (), ())
    return PageRule(
        limit, pointer_tokens(page["items"]), pointer_tokens(page["cursor"]), pointer_tokens(page["from"])
    )


def open_cursor(rule: PageRule, tool_name: str, arguments: Any) -> PagePosition:
    """Return the position of a page; its arguments have the implementation's cursor, not the runtime's.

    Raises InvalidRequestError for a cursor that the runtime has not made.
    """
    given = value_at(arguments, rule.cursor_of_request) if rule.items is not None else None
    if not isinstance(given, str) or not given.startswith(_PREFIX):
        return PagePosition(arguments, cursor=given if isinstance(given, str) else None)
    try:
        skip, inner = json.loads(urlsafe_b64decode(given.removeprefix(_PREFIX)))
        # a caller can make up a cursor: `True` is an int, and a negative number would count from the end
        if type(skip) is not int or skip < 0 or not isinstance(inner, str | None):
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        path = show_path(rule.cursor_of_request)
        raise InvalidRequestError(
            f"Invalid arguments for {tool_name}:\n- {path}: expected the cursor of an earlier response"
        ) from None
    return PagePosition(replaced(arguments, rule.cursor_of_request, inner), skip, inner)


def fitted(rule: PageRule, tool_name: str, response: Any, position: PagePosition) -> Any:
    """Return a response without the items of earlier pages, and with as many of the others as fit.

    Raises TooLargeError if it is too large and cannot be paged, or if one item is too large.
    """
    items = None if rule.items is None else value_at(response, rule.items)
    # the response may leave the list out, or have another form that the schema allows
    if rule.items is None or not isinstance(items, list):
        if _size(response) > rule.max_bytes:
            raise TooLargeError(
                f"The result of {tool_name} is larger than {rule.max_bytes} bytes. Ask for less."
            )
        return response
    if position.skip:
        items = items[position.skip :]
        response = replaced(response, rule.items, items)
    if _size(response) <= rule.max_bytes:
        return response
    count = _count_fitting(rule, response, items, position)
    if count == 0:
        raise TooLargeError(f"One item of the result of {tool_name} is larger than {rule.max_bytes} bytes.")
    page = replaced(response, rule.items, items[:count])
    return replaced(page, rule.cursor, _token(position.skip + count, position.cursor))


def _count_fitting(rule: PageRule, response: Any, items: Sequence[Any], position: PagePosition) -> int:
    """Return how many items fit beside everything else and the longest cursor."""
    assert rule.items is not None
    cursor = _token(position.skip + len(items), position.cursor)
    left = rule.max_bytes - _size(replaced(replaced(response, rule.items, []), rule.cursor, cursor))
    for count, item in enumerate(items):
        # each item is encoded once: encoding the page for each count would take quadratic time
        left -= _size(item) + (1 if count else 0)  # and a comma
        if left < 0:
            return count
    return len(items)


def _size(value: Any) -> int:
    return len(to_json(value, inf_nan_mode="constants"))


def _token(skip: int, cursor: str | None) -> str:
    text = json.dumps([skip, cursor], separators=(",", ":"))
    return _PREFIX + urlsafe_b64encode(text.encode()).decode()


def value_at(value: Any, path: JsonPath) -> Any:
    """Return the part of a value at a path; None if there is none."""
    found = locate(value, path)
    return None if found is None else found.value


def replaced(value: Any, path: Sequence[str], new: Any) -> dict[str, Any]:
    """Return a copy of an object with another value at a path; without the property if it is None."""
    copy = dict(value) if isinstance(value, Mapping) else {}
    step, *rest = path
    inner = replaced(copy.get(step), rest, new) if rest else new
    if inner is None:
        copy.pop(step, None)
    else:
        copy[step] = inner
    return copy
