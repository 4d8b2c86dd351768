"""Print the help of toolgen, or of one command."""

from __future__ import annotations

import argparse

from toolgen.cli.output import emit
from toolgen.cli.parser import COMMANDS, command_parser, help_text, suggest_command
from toolgen.project import UnableError

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="a command (default: all of toolgen)")


def run(args: argparse.Namespace) -> bool:
    if args.command is None:
        emit(*help_text().splitlines())
        return True
    if args.command not in COMMANDS:
        hint = suggest_command(args.command) or f"the commands are {', '.join(COMMANDS)}"
        raise UnableError("usage", f"unknown command '{args.command}'", hint)
    emit(*command_parser(args.command).format_help().splitlines())
    return True
