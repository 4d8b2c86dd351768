"""Describe syntax errors of libyaml: what is wrong, where, and what to write instead."""

from __future__ import annotations

from yaml.error import Mark, MarkedYAMLError

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Span

_QUOTE = "quote the text, or put it below a `>-`"
_INDENT = "keys of one mapping begin in one column; text with a colon or a quote in it is quoted"

_BY_PROBLEM: dict[str, tuple[str, str]] = {
    "mapping values are not allowed in this context": (
        "a colon and a space inside unquoted text, or a key that is not in line with its neighbours",
        _QUOTE + "; keys of one mapping begin in one column",
    ),
    "block sequence entries are not allowed in this context": (
        "a list item cannot begin on the line of its key",
        "begin the list on the next line, or write it as [a, b]",
    ),
    "found unexpected end of stream": ("the quoted text that begins here never ends", "close the quote"),
    "did not find expected ',' or ']'": (
        "the list that begins with `[` is not closed, or lacks a comma",
        "close it with `]`; text with `[`, `]`, `{`, `}` or a comma in it is quoted",
    ),
    "did not find expected ',' or '}'": (
        "the mapping that begins with `{` is not closed, or lacks a comma",
        "close it with `}`; text with `[`, `]`, `{`, `}` or a comma in it is quoted",
    ),
    "did not find expected key": ("neither a key nor the end of the mapping", _INDENT),
    "did not find expected '-' indicator": (
        "neither a list item nor the end of the list",
        "items of one list begin with `- ` in one column",
    ),
    "did not find expected node content": (
        "a value cannot begin with this character",
        "quote the text, or give the key a value",
    ),
    "could not find expected ':'": ("a line without a colon, where a key was expected", "write `key: value`"),
    "did not find expected <document start>": (
        "text after the end of the document",
        "remove the `...` line, or what follows it; one file holds one tool",
    ),
    "found incompatible YAML document": ("specs are read as YAML 1.2", "remove the `%YAML` line"),
    "found unknown directive name": (
        "a line that begins with `%` is a directive, and this one is unknown",
        "remove it",
    ),
    "found undefined tag handle": ("the tag has no meaning in a spec", "remove the tag, or quote the text"),
    "did not find expected comment or line break": (
        "text on the line of `|` or `>`",
        "begin the text on the next line, indented",
    ),
    "did not find expected alphabetic or numeric character": (
        "unquoted text cannot begin with `*` or `&`",
        "quote the text: `*` is an alias and `&` an anchor",
    ),
    "found duplicate %YAML directive": ("a second `%YAML` line", "remove both"),
}

_NEVER_ENDS = {"found unexpected end of stream"}
_UNCLOSED = {"did not find expected ',' or ']'", "did not find expected ',' or '}'"}
_CODES = {"found incompatible YAML document": "yaml-version", "found undefined tag handle": "unknown-tag"}


def describe_syntax_error(file: str, text: str, error: MarkedYAMLError) -> Diagnostic:
    """Return the diagnostic for a syntax error that libyaml found in `text`."""
    problem = error.problem or "not YAML"
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
    if problem == "found invalid Unicode character escape code":
        return Diagnostic(
            span,
            "lone-surrogate",
            "half of a surrogate pair is not a character",
            'write the character itself, or all its digits: "\\U0001F600"',
        )
    message, hint = _BY_PROBLEM.get(
        problem, (problem, "check quotes and indentation on this line and the one above")
    )
    return Diagnostic(span, _CODES.get(problem, "yaml-syntax"), message, hint)


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
