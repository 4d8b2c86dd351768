"""Create a spec for every tool of an MCP server. `toolgen export mcp` prints the same definitions again.

SOURCE is the URL of a server, or with --stdio a command that starts one, or a file (- for stdin) with tool
definitions: a JSON-RPC response to `tools/list`, its result, a list of tools, or one tool per line.
"""

from __future__ import annotations

import argparse
import json

from toolgen.cli.importing import common
from toolgen.importing.source_content import SourceContent, read_source, source_errors


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(parser, "a file, - for stdin, a URL, or with --stdio a command")
    parser.add_argument("--stdio", action="store_true", help="SOURCE is a command that starts a server")


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.json_source import read_json_documents
    from toolgen.importers.mcp import OWNED, import_mcp

    if args.stdio or args.source.startswith(("http://", "https://")):
        from toolgen.mcp_client.client import list_tools

        with source_errors():
            # the same limits for a server's answer as for a file
            listed = json.dumps(list_tools(args.source, is_command=args.stdio))
            content = SourceContent(listed.encode(), args.source)
    else:
        content = read_source(args.source, args.start)
    with source_errors():
        documents = read_json_documents(content.data, content.name)
    return common.run_import(args, lambda context: import_mcp(documents, content.name, context.names), OWNED)
