"""Create a spec for every function definition of OpenAI.

SOURCE is a file with functions of Chat Completions or Responses, bare function objects, a list of any of
these, or one per line; - for stdin.
"""

from __future__ import annotations

import argparse

from toolgen.cli.importing import common


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(parser, "a file, or - for stdin")


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.json_source import read_json_documents
    from toolgen.importers.openai import OWNED, import_openai

    content = common.read_source(args)
    with common.source_errors():
        documents = read_json_documents(content.data, content.name)
    return common.write_imported_specs(
        args, lambda context: import_openai(documents, content.name, context.names), OWNED
    )
