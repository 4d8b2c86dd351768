"""The places that show text of others, and how each escapes it: one function a place.

Every place escapes the characters of `characters.py`. What it escapes beyond them is in its docstring.
"""

from __future__ import annotations

import json
from typing import Any, Final

from toolgen.base.escaping.characters import _pattern, notation, printable

_COMMAND: Final = r"\A\s*:(?=:)|\#(?=\#(?:\[|vso\[|teamcity\[))"
_STYLE: Final = r"(\x1b\[[0-9;]*m)"
_BLANKS: Final = r"\s+"
_MARKDOWN: Final = r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w))"
_REFERENCE: Final = (
    r"(?:[@#!%]|&amp;)(?=\w)|\b(?i:GH)-(?=\d)"  # a forge would notify a user, or link an issue
)
_LINK: Final = r":(?=//)|\b(?i:www)(?=\.)"  # https://github.github.com/gfm/#autolinks-extension-
_BROKEN: Final = r"\g<0><!-- -->"  # a comment shows nothing, and ends the word that a forge would link


def terminal_line(text: str) -> str:
    """Return one line of a terminal or of a log: line ends are escaped, too, tabs are not.

    Nor can the line be a command of a CI service that reads logs: of GitHub (`::error::` at the start of a
    line, `##[group]`), Azure (`##vso[`) or TeamCity (`##teamcity[`).
    """
    return _without_commands(printable(text, keep="\t"))


def terminal_lines(text: str) -> list[str]:
    """Return the lines of a text, each as a `terminal_line`.

    The second and further ones are indented, so that none is mistaken for a line of toolgen.
    """
    # Nearly every text, and patterns are expensive to compile when a command starts.
    if text.isascii() and text.isprintable():
        return [_without_commands(text)]
    first, *more = _pattern("\r\n|\r|\n").split(text.rstrip("\r\n"))
    return [terminal_line(first), *(terminal_line(f"  {line}".rstrip()) for line in more)]


def styled_line(text: str) -> str:
    """Return one line with the colours that toolgen has put into it. Its parts must be `terminal_line`s."""
    parts = _pattern(_STYLE).split(text)
    return "".join(part if number % 2 else terminal_line(part) for number, part in enumerate(parts))


def log_text(text: str) -> str:
    """Return the text of a log record: `terminal_lines`, so that no text of a caller begins a record."""
    return "\n".join(terminal_lines(text))


def json_line(text: str) -> str:
    """Return one line of JSON, of ASCII, without DEL, which JSON allows."""
    return text.replace("\x7f", "\\u007f") if "\x7f" in text else text


def json_document(data: Any) -> str:
    r"""Return a value as JSON; characters in strings are escaped as JSON does it (`\u009b`)."""
    return _without_commands(printable(json.dumps(data, indent=2, ensure_ascii=False), keep="\n"))


def quoted_text(text: str, limit: int) -> str:
    """Return `text` as a JSON string on one line, shortened to about `limit` characters."""
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    return '"' + printable(cut.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def document_lines(text: str) -> str:
    """Return a document whose lines are no commands of a CI service."""
    return "\n".join(map(_without_commands, text.split("\n")))


def markdown_text(text: str) -> str:
    """Return text as one line of Markdown that shows it.

    It formats nothing, links nothing, notifies nobody and is no mathematics, on GitHub and GitLab.
    """
    plain = printable(_pattern(_BLANKS).sub(" ", text))
    escaped = _pattern(_MARKDOWN).sub(r"\\\1", plain.replace("&", "&amp;"))
    escaped = _pattern(_REFERENCE).sub(_BROKEN, escaped)
    escaped = _pattern(_LINK).sub(_BROKEN, escaped)
    # https://docs.github.com/en/get-started/writing-on-github (Writing mathematical expressions)
    return escaped.replace("$", "<span>$</span>")


def markdown_code(text: str) -> str:
    """Return text as a code span of Markdown, whatever backticks it has."""
    plain = printable(_pattern(_BLANKS).sub(" ", text)) or " "
    longest = max((len(run) for run in _pattern("`+").findall(plain)), default=0)
    fence, space = "`" * (longest + 1), " " if "`" in plain else ""
    return f"{fence}{space}{plain}{space}{fence}"


def markdown_cell(text: str) -> str:
    """Return text as a code span in a cell of a table."""
    return markdown_code(text).replace("|", "\\|")


def plain_name(text: str) -> str:
    """Return `text` as a name of ASCII letters, digits and hyphens, of at most 64; empty if it has none."""
    return _pattern(r"[^A-Za-z0-9]+").sub("-", text[:200]).strip("-")[:64].rstrip("-")


def _without_commands(text: str) -> str:
    # Before the pattern, which is compiled only for texts that may have a command.
    if "::" not in text and "##" not in text:
        return text
    return _pattern(_COMMAND).sub(lambda found: f"{found[0][:-1]}{notation(found[0][-1])}", text)
