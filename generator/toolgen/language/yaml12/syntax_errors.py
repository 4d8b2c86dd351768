"""Describe syntax errors of libyaml: what is wrong, where, and what to write instead."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

from yaml.error import Mark, MarkedYAMLError

from toolgen.base.files import read_named
from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Span
from toolgen.schema.document import MAX_VALUE_DEPTH

TOO_DEEP = (
    f"mappings and lists are nested more than {MAX_VALUE_DEPTH} deep",
    "move the inner parts to `$defs` and refer to them",
)
"""Message and hint."""

_LINES_ABOVE = 20  # that are searched for the cause of an error
_QUOTE = "quote the text, or put it below a `>-`"
_UNCLOSED = {"did not find expected ',' or ']'", "did not find expected ',' or '}'"}
_NEVER_ENDS = {"found unexpected end of stream"}


@cache
def _explanations() -> dict[str, dict[str, str]]:
    """Return the code, the message and the hint for each problem of libyaml that has them."""
    text = read_named(Path(__file__).with_name("syntax_errors.toml")).decode()
    # libyaml scans ahead of the events, to a depth of 1,000
    too_deep = {"code": "too-deep", "message": TOO_DEEP[0], "hint": TOO_DEEP[1]}
    return {**tomllib.loads(text), "exceeded maximum nesting depth": too_deep}


def describe_syntax_error(file: str, text: str, error: MarkedYAMLError) -> Diagnostic:
    """Return the diagnostic for a syntax error that libyaml found in `text`."""
    problem = error.problem or "not YAML"
    if explained := _cause(file, text, error):
        return explained
    mark = error.problem_mark
    opened = error.context_mark
    if opened is not None and (
        problem in _NEVER_ENDS or (problem in _UNCLOSED and not _same_line(opened, mark))
    ):
        mark = opened
    span = _span(file, text, mark)
    character = text[mark.index] if mark is not None and mark.index < len(text) else ""
    if problem == "found character that cannot start any token":
        return Diagnostic(span, "yaml-syntax", *_bad_start(character))
    if problem in _UNCLOSED and character in ("[", "{") and mark is error.problem_mark:
        return Diagnostic(span, "yaml-syntax", f"unquoted text with `{character}` in it", "quote the text")
    if problem == "found unknown escape character":
        escape = text[mark.index : mark.index + 2] if mark is not None else character
        message = f"`{escape}` is not an escape of double-quoted text"
        return Diagnostic(span, "yaml-syntax", message, "use single quotes, in which a backslash is itself")
    found = _explanations().get(problem, {})
    hint = found.get("hint", "check quotes and indentation on this line and the one above")
    return Diagnostic(span, found.get("code", "yaml-syntax"), found.get("message", problem), hint)


_CONFLICT = re.compile(r"^(?:<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|) .*|^(?:<{7}|={7}|>{7})$", re.MULTILINE)
_BLOCK = re.compile(r"^( *)(?:- )?([^\s#:][^:]*):[ ]+[|>][+-]?[0-9]?[ ]*$")
_NO_SPACE = re.compile(r"""^\s*(?:- )?([\w$-]+):[^\s/]""")
_COMMENT = re.compile(r"^[ \t]*//.*", re.MULTILINE)
_KEY = re.compile(r"^\s*(?:- )?[^\s#'\"{\[][^:]*:(?: |$)")
_NO_KEY = re.compile(r"^\s*[^\s#'\"{\[\]}|>-][^:]*$")
_ENDS = {
    "'": "quote the whole text; within single quotes, write '' for an apostrophe",
    '"': 'quote the whole text; within double quotes, write \\" for a quote',
    "]": "quote text that begins with `[`",
    "}": "quote text that begins with `{`",
}
_ON_ONE_LINE = ("mapping values are not allowed in this context", "could not find expected ':'")


def _cause(file: str, text: str, error: MarkedYAMLError) -> Diagnostic | None:
    """Return the diagnostic for a mistake that libyaml reports some lines further on, or in other words."""
    if marker := _CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        message = "a conflict of a merge is left in this file"
        hint = (
            "resolve it: keep one of the two sides, and remove the lines with `<<<<<<<`, `=======`, `>>>>>>>`"
        )
        return Diagnostic(Span(file, line, 1, len(marker[0])), "yaml-syntax", message, hint)
    problem, mark = error.problem or "", error.problem_mark
    if mark is None:
        return None
    opened = error.context_mark.index if error.context_mark is not None else 0
    if problem in _UNCLOSED and (comment := _COMMENT.search(text, opened)):
        line = text.count("\n", 0, comment.start()) + 1
        return _at(file, line, comment[0], "a comment of another language", "begin comments with `#`")
    if problem == "did not find expected key" and (after := text[: mark.index].rstrip(" ")[-1:]) in _ENDS:
        end = Span(
            file, mark.line + 1, len(text[: mark.index].rstrip(" ")) - text.rfind("\n", 0, mark.index) - 1
        )
        return Diagnostic(end, "yaml-syntax", f"text after `{after}`, which ends the value", _ENDS[after])
    return _cause_above(file, text, mark.line) if problem in _ON_ONE_LINE else None


def _cause_above(file: str, text: str, number: int) -> Diagnostic | None:
    """Return the diagnostic for the line that makes line `number`, counted from 0, no key of its mapping."""
    lines = text.split("\n")
    near = [
        i for i in range(max(0, number - _LINES_ABOVE), min(number + 1, len(lines))) if _is_code(lines[i])
    ]
    for above, here in pairwise(near):
        block = _BLOCK.match(lines[above])
        if block and _indent(lines[here]) <= len(block[1]) and not _KEY.match(lines[here]):
            message = f"the text of {quoted(block[2])} is not indented"
            return _at(file, here + 1, lines[here], message, "indent it by two spaces below its key")
    if len(near) < 2 or near[-1] != number:
        return None
    above = near[-2]
    if missing := _NO_SPACE.match(lines[above]):
        hint = f"put a space after the colon: `{missing[1][:60]}: …`"
        return _at(file, above + 1, lines[above], "no space after a colon, so that this is no key", hint)
    if _NO_KEY.match(lines[above]) and _indent(lines[above]) == _indent(lines[number]):
        opener = lines[near[-3]].rstrip() if len(near) > 2 else ""
        # Text that goes on from the line before is deeper than its key: there, the colon is the mistake.
        if opener.endswith(":") or (_KEY.match(opener) and _indent(opener) == _indent(lines[above])):
            no_colon = _explanations()["could not find expected ':'"]
            return _at(file, above + 1, lines[above], no_colon["message"], no_colon["hint"])
    return None


def _at(file: str, line: int, written: str, message: str, hint: str) -> Diagnostic:
    column = _indent(written) + 1
    return Diagnostic(Span(file, line, column, max(1, len(written.strip()))), "yaml-syntax", message, hint)


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _span(file: str, text: str, mark: Mark | None) -> Span:
    """Return `mark` as editors count lines; the end of the last line with text if it is behind that."""
    if mark is None:
        return Span(file, 1, 1)
    # What is never closed is reported behind the last line, where an editor cannot go.
    lines = text.split("\n")
    line = min(mark.line, len(lines) - 1)
    if line < mark.line or (not lines[line] and mark.index >= len(text)):
        while line > 0 and not lines[line].strip():
            line -= 1
        return Span(file, line + 1, len(lines[line]) + 1)
    return Span(file, line + 1, mark.column + 1)


def _same_line(one: Mark, other: Mark | None) -> bool:
    return other is not None and one.line == other.line


def _bad_start(character: str) -> tuple[str, str]:
    if character == "\t":
        return "a tab where indentation is expected", "indent with spaces"
    return f"unquoted text cannot begin with `{character}`", _QUOTE
