"""Edit one member of a JSON text, which may have comments; all other bytes stay as they are.

Python has no maintained library that edits JSON with comments, and writing the data again would lose the
comments and the layout. So the text is scanned for the places of its members, and only those are changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # as the json module itself does
from typing import Any, Final

MAX_DEPTH: Final = 100
_SPACE = re.compile(r"[ \t\r\n]*+")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_BLANKS = re.compile(r"[ \t]*+")
_INDENT = re.compile(r"\n([ \t]++)[\"\]}]")
_SCALAR = re.compile(r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+|true|false|null")


class JsonSyntaxError(ValueError):
    """The text is not JSON of the expected kind, at this place."""

    def __init__(self, message: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(message)


@dataclass(slots=True)
class Member:
    """One member of an object, with its places in the text."""

    key: str
    start: int
    value: Value
    comma: int | None = None  # the place of the comma after it


@dataclass(slots=True)
class Value:
    """One value. A number is kept as its text, so that none is too large."""

    start: int
    end: int
    data: Any
    members: list[Member] | None = None  # of an object

    def member(self, key: str) -> Member | None:
        """Return the member `key` of an object."""
        return next((each for each in self.members or () if each.key == key), None)


class _Scanner:
    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments
        self._space = _SPACE_AND_COMMENTS if comments else _SPACE

    def skip(self, at: int) -> int:
        found = self._space.match(self.text, at)
        return found.end() if found else at

    def fail(self, message: str, at: int) -> JsonSyntaxError:
        if not self.comments and self.text[at : at + 2] in ("//", "/*"):
            message = "this client reads no comments in JSON"
        return JsonSyntaxError(message, self.text, at)

    def value(self, at: int, depth: int = 0) -> Value:
        if depth > MAX_DEPTH:
            raise self.fail("nested too deeply", at)
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if first == '"':
            data, end = self._string(at)
            return Value(at, end, data)
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise self.fail("expected a value", at)
        return Value(at, found.end(), (found[0],))

    def _string(self, at: int) -> tuple[str, int]:
        try:
            data, end = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            raise self.fail("the string does not end, or has an invalid character", error.pos) from None
        return data, end

    def _object(self, start: int, depth: int) -> Value:
        members: dict[str, Member] = {}
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self.fail('expected a key in double quotes, or "}"', at)
            key, end = self._string(at)
            if key in members:
                raise self.fail(f"the key {json.dumps(key)} is there twice", at)
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                raise self.fail('expected ":"', colon)
            member = Member(key, at, self.value(self.skip(colon + 1), depth + 1))
            members[key] = member
            at, member.comma = self._next(member.value.end, "}")
        data = {each.key: each.value.data for each in members.values()}
        return Value(start, at + 1, data, list(members.values()))

    def _array(self, start: int, depth: int) -> Value:
        items: list[Any] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            item = self.value(at, depth + 1)
            items.append(item.data)
            at, _ = self._next(item.end, "]")
        return Value(start, at + 1, items)

    def _next(self, end: int, closing: str) -> tuple[int, int | None]:
        """Return where the next member or the closing bracket begins, and the place of the comma."""
        at = self.skip(end)
        if self.text[at : at + 1] == closing:
            return at, None
        if self.text[at : at + 1] != ",":
            raise self.fail(f'expected "," or "{closing}"', at)
        following = self.skip(at + 1)
        if not self.comments and self.text[following : following + 1] == closing:
            raise self.fail("a comma before the closing bracket", at)
        return following, at


def parse_json(text: str, *, comments: bool) -> Value:
    """Return the object that `text` holds, with places. Raises `JsonSyntaxError`.

    Args:
        text: the text, without a byte order mark.
        comments: True if it may have comments and trailing commas.
    """
    scanner = _Scanner(text, comments)
    start = scanner.skip(0)
    value = scanner.value(start)
    if (end := scanner.skip(value.end)) != len(text):
        raise scanner.fail("expected the end of the file", end)
    if value.members is None:
        raise scanner.fail("expected an object", start)
    return value


def set_member(text: str, parent: Value, key: str, data: Any) -> str:
    """Return `text` with the member `key` of the object `parent` set to `data`."""
    unit = _indent_unit(text)
    found = parent.member(key)
    newline = "\r\n" if "\r\n" in text else "\n"
    inner = text[parent.start : parent.end]
    members = parent.members or []
    if found is not None:
        indent = _line_indent(text, found.start)
        return text[: found.value.start] + _dump(data, indent, unit, newline) + text[found.value.end :]
    outer = _line_indent(text, parent.start)
    if members and "\n" not in inner:
        last = members[-1]
        added = f"{json.dumps(key)}: {json.dumps(data, ensure_ascii=False)}{_trailing(last)}"
        lead = " " if last.comma is not None else ", "
        return _insert_at_end(text, parent, last, lead, added, "")
    first = members[0] if members else None
    indent = _line_indent(text, first.start) if first and _begins_line(text, first.start) else outer + unit
    added = f"{newline}{indent}{json.dumps(key)}: {_dump(data, indent, unit, newline)}"
    if not members:
        content = inner[1:-1].rstrip()
        closing = newline + outer
        return f"{text[: parent.start + 1]}{content}{added}{closing}{text[parent.end - 1 :]}"
    last = members[-1]
    added += _trailing(last)
    tail = "" if "\n" in text[_content_end(text, parent, last) : parent.end] else newline + outer
    return _insert_at_end(text, parent, last, "" if last.comma is not None else ",", added, tail)


def remove_member(text: str, parent: Value, key: str) -> str:
    """Return `text` without the member `key` of the object `parent`; comments around it stay."""
    members = parent.members or []
    index = next(number for number, each in enumerate(members) if each.key == key)
    member = members[index]
    start, end = member.start, member.value.end
    cut: list[tuple[int, int]] = []
    if member.comma is not None:
        if text[end : member.comma].strip():  # a comment is between the value and its comma
            cut.append((member.comma, member.comma + 1))
        else:
            end = member.comma + 1
    elif index and (comma := members[index - 1].comma) is not None:
        cut.append((comma, comma + 1))
    line_end = _BLANKS.match(text, end)
    rest = line_end.end() if line_end else end
    if _begins_line(text, start) and text[rest : rest + 1] in ("\r", "\n"):
        before = text.rfind("\n", 0, start)
        start, end = before - (text[before - 1 : before] == "\r"), rest
    elif member.comma is None:
        start -= len(text[:start]) - len(text[:start].rstrip(" \t"))
    else:
        end = rest
    cut.append((start, end))
    for first, last in sorted(cut, reverse=True):
        text = text[:first] + text[last:]
    return text


def _trailing(last: Member) -> str:
    """Return the comma of a new last member: it has one if the one before had."""
    return "," if last.comma is not None else ""


def _insert_at_end(text: str, parent: Value, last: Member, comma: str, added: str, tail: str) -> str:
    """Insert `added` behind the last member and its comments; the comma directly behind its value."""
    at = _content_end(text, parent, last)
    head, between = text[: last.value.end], text[last.value.end : at]
    if "\n" not in added:  # all on one line
        return head + between + comma + added + text[at:]
    return head + comma + between + added + tail + text[at:]


def _content_end(text: str, parent: Value, last: Member) -> int:
    return last.value.end + len(text[last.value.end : parent.end - 1].rstrip())


def _dump(data: Any, indent: str, unit: str, newline: str) -> str:
    lines = json.dumps(data, ensure_ascii=False, indent=unit).split("\n")
    return f"{newline}{indent}".join(lines)


def _indent_unit(text: str) -> str:
    """Return the indentation of the first indented line; two spaces if there is none."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _line_indent(text: str, at: int) -> str:
    found = _BLANKS.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()
