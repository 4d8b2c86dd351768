"""Write a spec for every function that OpenAI is offered.

SOURCE is a file with functions as Chat Completions or Responses have them, bare function objects, a list of
any of these, or one a line; - for stdin.
"""

from __future__ import annotations

import argparse

from toolgen.cli.importing.common import add_arguments, bring_in, read_bytes, refusing


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a file, or - for stdin")


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.json_source import read_json_documents
    from toolgen.importers.openai import OWNED, import_openai

    data, name = read_bytes(args)
    with refusing():
        documents = read_json_documents(data, name)
    return bring_in(args, lambda names: import_openai(documents, name, names), OWNED)
