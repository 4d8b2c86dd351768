"""Write a spec for every tool of an MCP server. `toolgen export mcp` gives every one back as it was.

SOURCE is a file with what `tools/list` answered (the response, its result, a list, or one tool a line), - for
stdin, the URL of a server, or with --stdio a command that starts one.
"""

from __future__ import annotations

import argparse
import json

from toolgen.cli.importing.common import add_arguments, bring_in, read_bytes, refusing


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a file, - for stdin, a URL, or with --stdio a command")
    parser.add_argument("--stdio", action="store_true", help="SOURCE is a command: start it, and ask it")


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.json_source import read_json_documents
    from toolgen.importers.mcp import OWNED, import_mcp

    if args.stdio or args.source.startswith(("http://", "https://")):
        from toolgen.cli.importing.mcp_client import list_tools

        name = args.source
        with refusing():
            listed = json.dumps(list_tools(args.source, args.stdio))
            documents = read_json_documents(listed.encode(), name)  # a server may say what no file may
    else:
        data, name = read_bytes(args)
        with refusing():
            documents = read_json_documents(data, name)
    return bring_in(args, lambda names: import_mcp(documents, name, names), OWNED)
