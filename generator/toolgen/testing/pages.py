"""Read lists page by page: pages of any size have the same items in the same order, and they end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.contract.page import replaced
from toolgen.schema.document import JsonObject, locate, pointer_tokens, value_key
from toolgen.testing.checks import CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.subject import Call, Subject
from toolgen.testing.tool_under_test import Pages, ToolUnderTest

_MAX_PAGES: Final = 200
_CURSOR_BYTES: Final = 120  # of the runtime's cursor with an implementation's cursor in it


@dataclass(frozen=True, slots=True)
class _Read:
    items: list[Any]
    first: Any  # the first page
    fault: str = ""


async def find_page_fault(subject: Subject, tool: ToolUnderTest, arguments: JsonObject) -> CheckFault | None:
    """Read all pages of a request: as large as they are, of about half of the items, and of one item.

    Returns None if the items are the same each time, or if the request has no pages.
    """
    assert tool.pages is not None
    # Such a request begins in the middle of the pages of another one.
    if locate(arguments, pointer_tokens(tool.pages.cursor_of_request)) is not None:
        return None
    whole = await _read_all(subject, tool, arguments)
    if whole.fault:
        return CheckFault(whole.fault)
    if not whole.items:
        return None
    largest = max(_size(each) for each in whole.items)
    # The size of a page without its items, so that no limit is too small for the largest one.
    beside = _size(whole.first) - sum(map(_size, _items(tool.pages, whole.first))) + _CURSOR_BYTES
    half = sum(map(_size, whole.items)) // 2
    for limit in (beside + largest, beside + max(largest, half)):
        read = await _read_all(subject, tool, arguments, limit)
        if read.fault:
            return CheckFault(f"with pages of {limit} bytes, {read.fault}")
        if value_key(read.items) != value_key(whole.items):
            message = f"pages of {limit} bytes have other items, or another order, than larger pages"
            return CheckFault(message, diff=diff_lines(whole.items, read.items))
    return None


async def _read_all(
    subject: Subject, tool: ToolUnderTest, arguments: JsonObject, max_page_bytes: int | None = None
) -> _Read:
    """Return the items of all pages. An error of a later page is a fault, one of the first page is not."""
    pages = tool.pages
    assert pages is not None
    request, first, items, cursors = arguments, None, list[Any](), list[Any]()
    seen: set[object] = set()
    async with subject.session() as session:
        while len(cursors) < _MAX_PAGES:
            answer = await session.call(Call(tool.name, request, max_page_bytes=max_page_bytes))
            if answer.error is not None:
                return _Read([], None, f"page {len(cursors) + 1} ends with {answer.shown}" if cursors else "")
            first = answer.content if first is None else first
            page = _items(pages, answer.content)
            # Equal texts or numbers may be different items; an object nearly always has an id.
            new = {value_key(each) for each in page if isinstance(each, dict)}
            if new & seen:
                return _Read([], None, f"page {len(cursors) + 1} repeats an item of an earlier page")
            seen |= new
            items += page
            found = locate(answer.content, pointer_tokens(pages.cursor))
            if found is None or found.value in (None, ""):
                return _Read(items, first)
            if found.value in cursors:
                return _Read([], None, "the cursor of a page leads back to an earlier one")
            cursors.append(found.value)
            request = replaced(arguments, pointer_tokens(pages.cursor_of_request), found.value)
    return _Read([], None, f"there are more than {_MAX_PAGES} pages")


def _items(pages: Pages, response: Any) -> list[Any]:
    found = locate(response, pointer_tokens(pages.items))
    return found.value if found is not None and isinstance(found.value, list) else []


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
