"""Create a spec for every OpenAI function definition.

SOURCE is a file (- for stdin) with function definitions: tools of Chat Completions or Responses, or function
objects alone; one of them, a list, or one per line.
"""

from __future__ import annotations

import argparse

from toolgen.cli.imports import common
from toolgen.sources.openai import OWNED, import_openai


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(parser, "a file, or - for stdin")


def run(args: argparse.Namespace) -> bool:
    return common.run_import(args, common.converted(args, import_openai), OWNED)
