"""Write to the terminal. Nothing else in toolgen does: what is written here is escaped here."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Any, TextIO

from toolgen.base.escaping.characters import printable
from toolgen.base.escaping.places import json_document, styled_line, terminal_line, terminal_lines

_CLEAR_LINE = "\r\x1b[K"


def write_lines(stream: TextIO, *lines: str, styled: bool = False) -> None:
    """Write each text as one line. With `styled`, the colours in it are kept; then its parts are escaped."""
    show = styled_line if styled else terminal_line
    _write(stream, "".join(f"{show(line)}\n" for line in lines))


def write_text(stream: TextIO, text: str) -> None:
    """Write a text of several lines, the second and further ones indented."""
    _write(stream, "".join(f"{line}\n" for line in terminal_lines(text)))


def write_json(stream: TextIO, data: Any) -> None:
    """Write one JSON document."""
    _write(stream, f"{json_document(data)}\n")


def write_document(stream: TextIO, text: str) -> None:
    """Write a document, such as XML or workflow commands, whose format has escaped the texts in it."""
    _write(stream, printable(text, keep="\n\t"))


def write_content(stream: TextIO, text: str) -> None:
    """Write the content of a file, byte for byte, for a program; a terminal gets it escaped."""
    if stream.isatty():
        write_document(stream, text)
        return
    stream.flush()
    if isinstance(stream, TextIOWrapper):  # which would write other line ends on Windows
        stream.buffer.write(text.encode())
    else:
        stream.write(text)
    stream.flush()


def write_prompt(stream: TextIO, question: str) -> None:
    """Write a question; the answer is typed behind it."""
    _write(stream, terminal_line(question))


def write_status(stream: TextIO, text: str = "") -> None:
    """Replace the last line of a terminal by `text`, without a line end."""
    _write(stream, f"{_CLEAR_LINE}{terminal_line(text)}")


def print_message(line: str) -> None:
    """Print one line to stderr, for the person who started a server; stdout is for the protocol."""
    write_lines(sys.stderr, line)


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
