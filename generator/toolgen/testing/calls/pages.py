"""The law of pages: joined, they have the same items in the same order whatever their size, and they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.schema.document import JsonObject, locate, pointer_tokens, value_key
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.subjects.subject import Call, Subject
from toolgen.testing.tool_under_test import Pages, ToolUnderTest

_MAX_PAGES: Final = 200
_CURSOR_BYTES: Final = 120  # of the runtime's cursor with an implementation's cursor in it


@dataclass(frozen=True, slots=True)
class PageFault:
    """One way in which pages do not add up."""

    message: str
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    items: list[Any]
    first: Any  # the first page
    fault: str = ""


async def find_page_fault(subject: Subject, tool: ToolUnderTest, arguments: JsonObject) -> PageFault | None:
    """Read all pages of a request: as large as they are, of about half of the items, and of one item.

    Returns None if they add up, or if the request has no pages.
    """
    assert tool.pages is not None
    if locate(arguments, pointer_tokens(tool.pages.cursor_of_request)) is not None:
        return None
    whole = await _read_all(subject, tool, arguments)
    if whole.fault:
        return PageFault(whole.fault)
    if not whole.items:
        return None
    largest = max(_size(each) for each in whole.items)
    beside = _size(whole.first) - sum(map(_size, _items(tool.pages, whole.first))) + _CURSOR_BYTES
    half = sum(map(_size, whole.items)) // 2
    for limit in (beside + largest, beside + max(largest, half)):
        with _limited(limit):
            read = await _read_all(subject, tool, arguments)
        if read.fault:
            return PageFault(f"with pages of {limit} bytes, {read.fault}")
        if value_key(read.items) != value_key(whole.items):
            message = f"pages of {limit} bytes have other items, or another order, than larger pages"
            return PageFault(message, diff_lines(whole.items, read.items))
    return None


async def _read_all(subject: Subject, tool: ToolUnderTest, arguments: JsonObject) -> _Read:
    """Return the items of all pages. An error of a later page is a fault, one of the first page is not."""
    pages = tool.pages
    assert pages is not None
    request, first, items, cursors = arguments, None, list[Any](), list[Any]()
    seen: set[object] = set()
    async with subject.session() as session:
        while len(cursors) < _MAX_PAGES:
            answer = await session.call(Call(tool.name, request))
            if answer.error is not None:
                return _Read([], None, f"page {len(cursors) + 1} ends with {answer.shown}" if cursors else "")
            first = answer.content if first is None else first
            page = _items(pages, answer.content)
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
            request = _with_cursor(arguments, pointer_tokens(pages.cursor_of_request), found.value)
    return _Read([], None, f"there are more than {_MAX_PAGES} pages")


@contextmanager
def _limited(max_bytes: int) -> Iterator[None]:
    """Let responses be cut into pages of at most `max_bytes`, where the spec allows larger ones."""
    from toolgen.runtime.execution import call

    # the limit belongs to the compiled contract, which all calls share and no call option changes
    write_page = call.write_page  # type: ignore[attr-defined]

    def limited(contract: Any, *rest: Any) -> Any:
        rule = replace(contract.page, max_bytes=min(contract.page.max_bytes, max_bytes))
        return write_page(replace(contract, page=rule), *rest)

    setattr(call, "write_page", limited)  # noqa: B010  (mypy knows it as a function)
    try:
        yield
    finally:
        setattr(call, "write_page", write_page)  # noqa: B010


def _items(pages: Pages, response: Any) -> list[Any]:
    found = locate(response, pointer_tokens(pages.items))
    return found.value if found is not None and isinstance(found.value, list) else []


def _with_cursor(arguments: JsonObject, path: tuple[str, ...], cursor: Any) -> JsonObject:
    step, *rest = path
    inner = _with_cursor(dict(arguments.get(step) or {}), tuple(rest), cursor) if rest else cursor
    return {**arguments, step: inner}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
