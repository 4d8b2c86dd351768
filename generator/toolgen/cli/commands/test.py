"""Test implementations against their specs: every example, then properties that hold for every valid request.

Generates what is out of date, then runs the project's code, in a process of its own. A failure comes with the
command that makes the call again. For data of their own and for snapshots of it, the tests use the functions
`toolgen_toolkit` and `toolgen_state` of tests/toolgen_fixtures.py, or of the file that `[test] fixtures`
names. Without `toolgen_toolkit`, only tools are called whose annotations promise that a call does no harm:
`readOnlyHint: true`, or `idempotentHint: true` and `destructiveHint: false`, and no `confirm`.

With --against, a running MCP server is tested instead, in whatever language it is written: its list of tools
is compared with what the specs publish, and calls go through the protocol. No code of the project runs then,
and the same tools are called, if the server's annotations also promise that calls do no harm.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from toolgen.cli.diagnostics import emit_report, source_texts
from toolgen.cli.generated_package import add_frozen, bring_up_to_date
from toolgen.cli.output import emit, emit_json, progress_line, say
from toolgen.cli.parser import add_flag, add_format, add_server, add_tools
from toolgen.cli.report.entry import tests_report
from toolgen.cli.report.json import tests_data
from toolgen.cli.report.text import lines_of_tests, summary_of_tests
from toolgen.cli.today import today
from toolgen.project import UnableError, find_project, read_project
from toolgen.testing.project_tests import run_project_tests
from toolgen.testing.runner import RunOptions


def arguments(parser: argparse.ArgumentParser) -> None:
    add_tools(parser, "tools", metavar="TOOL", nargs="*", help="the tools to test (default: all)")
    add_flag(parser, "--examples-only", "make only the calls of the examples")
    parser.add_argument("--seed", default="0", help="decides which other requests are made (default: 0)")
    parser.add_argument(
        "--max-calls",
        type=int,
        default=100,
        metavar="N",
        help="make at most about N calls of each tool, beside the examples (default: 100)",
    )
    add_flag(
        parser,
        "--update",
        "show a diff, then write the new results of failed examples into the specs; record other "
        "effects of their calls in the folder `outcomes` beside the fixtures",
    )
    add_flag(
        parser,
        "--all-calls",
        "also call tools that may change or destroy something, with the data that they have",
    )
    add_frozen(parser)
    add_server(parser, "test")
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    if args.max_calls < 0:
        raise UnableError("usage", "--max-calls must not be negative")
    server = None
    if args.against is not None:
        from toolgen.sources.mcp_client.client import ServerAddress  # of the extra `mcp`
        from toolgen.testing.server.run import ServerOptions

        server = ServerOptions(ServerAddress.parse(args.against, args.header), today(), tuple(args.header))
    elif args.header:
        raise UnableError("usage", "--header is an option of --against URL")
    else:
        bring_up_to_date(find_project(Path(args.start)), args)
    with progress_line("testing") as progress:
        report = run_project_tests(
            read_project(args.start),
            RunOptions(args.seed, args.max_calls, args.examples_only, args.all_calls),
            names=args.tools,
            server=server,
            is_update=args.update,
            progress=progress,
        )
    failures = [failure.diagnostic for tool in report.tools for failure in tool.failures]
    if args.format == "json":
        emit_json(tests_data(report))
    elif args.format != "text":
        emit_report(tests_report(report), args.format, args.start)
    else:
        emit(*lines_of_tests(report, source_texts(failures, args.start)))
        say(*summary_of_tests(report))
    return not failures
