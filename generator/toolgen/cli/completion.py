"""Shell completion, where argcomplete is installed: `eval "$(register-python-argcomplete toolgen)"`."""

from __future__ import annotations

import argparse
from importlib import import_module

from toolgen.cli import VERBS
from toolgen.cli.parser import verb_arguments


def complete() -> None:
    """Answer the shell and exit, when it is the shell that asks."""
    try:
        from argcomplete import autocomplete
    except ModuleNotFoundError:  # then there is nothing to complete
        return
    parser = argparse.ArgumentParser(prog="toolgen")
    verbs = parser.add_subparsers()
    for verb, does in VERBS.items():
        verb_arguments(verbs.add_parser(verb, help=does), import_module(f"toolgen.cli.{verb}"))
    autocomplete(parser)
