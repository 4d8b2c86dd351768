"""Shell completion with argcomplete: `eval "$(register-python-argcomplete toolgen)"`."""

from __future__ import annotations

import argparse

from toolgen.cli.parser import COMMANDS, add_arguments, command_module


def complete() -> None:
    """Print completions and exit, if the shell asks for them; do nothing without argcomplete."""
    try:
        from argcomplete import autocomplete
    except ModuleNotFoundError:  # the extra `cli` is not installed
        return
    parser = argparse.ArgumentParser(prog="toolgen")
    commands = parser.add_subparsers()
    for name, summary in COMMANDS.items():
        add_arguments(commands.add_parser(name, help=summary), command_module(name))
    autocomplete(parser)
