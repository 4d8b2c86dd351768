"""Print the help of toolgen, of one command, or of a topic."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from toolgen.base.files import read_named
from toolgen.cli.output import emit
from toolgen.cli.parser import SUBCOMMANDS, TOPICS, check_command, command_parser, help_text

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    topics = ", ".join(TOPICS)
    parser.add_argument("words", nargs="*", metavar="WORD", help=f"a command, or a topic: {topics}")


def run(args: argparse.Namespace) -> bool:
    if not args.words:
        emit(*help_text().splitlines())
        return True
    word, *more = args.words
    check_command(word, TOPICS)
    if word in TOPICS:
        emit(*_lines_of_topic(word))
        return True
    command = f"{word} {more[0]}" if more and more[0] in SUBCOMMANDS.get(word, ()) else word
    emit(*command_parser(command).format_help().splitlines())
    return True


def _lines_of_topic(topic: str) -> Iterator[str]:
    """Yield the lines of a topic, from the data that the programs use."""
    if topic == "configuration":
        yield from read_named(Path(__file__).with_name("configuration.toml")).decode().splitlines()
        return
    rows = dict(_rows_of_topic(topic))
    width = max(map(len, rows))
    yield from (f"{name:<{width}}  {about}" for name, about in rows.items())


def _rows_of_topic(topic: str) -> Iterator[tuple[str, str]]:
    if topic == "spec":
        from toolgen.runtime.definition.spec_schema import DEFINITIONS

        for name, field in DEFINITIONS["Tool"]["properties"].items():
            yield name, field["description"].partition("\n")[0]
    else:
        from toolgen.runtime.settings import variables

        for each in variables():
            yield each.name, f"{each.about} [{each.default}]" if each.default else each.about
