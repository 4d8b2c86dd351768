"""Shell completion, where argcomplete is installed: `eval "$(register-python-argcomplete toolgen)"`."""

from __future__ import annotations

import argparse

from toolgen.cli import VERBS
from toolgen.cli.parser import verb_arguments, verb_module


def complete() -> None:
    """Answer the shell and exit, when it is the shell that asks."""
    try:
        from argcomplete import autocomplete
    except ModuleNotFoundError:  # then there is nothing to complete
        return
    parser = argparse.ArgumentParser(prog="toolgen")
    verbs = parser.add_subparsers()
    for verb, does in VERBS.items():
        verb_arguments(verbs.add_parser(verb, help=does), verb_module(verb))
    autocomplete(parser)
