"""Create a spec for every operation of an OpenAPI document (3.0, 3.1, 3.2).

SOURCE is the document, in JSON or YAML, also gzipped: a file, a URL, or - for stdin. A PATTERN matches an
operationId, a path, 'GET /path' or a tag; * matches any text. --list shows what can be chosen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from toolgen.base.suggestions import count
from toolgen.cli.imports import common
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_choice, add_flag, add_repeated, whole_number
from toolgen.runtime.definition.tool_definition import ANSWERS
from toolgen.sources.imported_tool import LeftOut
from toolgen.sources.loading.implementations import http_modules
from toolgen.sources.loading.openapi import (
    fetch_document,
    load_beside,
    refuse_files,
    with_project,
    with_shared_components,
)
from toolgen.sources.loading.source_content import read_source, source_errors
from toolgen.sources.openapi.environment import check_prefix, refuse_new_hosts, secret_destinations
from toolgen.sources.openapi.parse import parse_document
from toolgen.sources.openapi.specs import OWNED, ImportOptions, find_operations, import_openapi

if TYPE_CHECKING:
    from toolgen.sources.imported_tool import ImportedTool, ImportedTools
    from toolgen.sources.loading.imported_specs import ImportContext
    from toolgen.sources.openapi.environment import SecretDestination
    from toolgen.sources.openapi.operation_list import Operation

_MAX_NAME = 40  # characters of a name that the next column is aligned behind
_MAX_SUMMARY = 100  # characters of a summary in a list


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(
        parser,
        "a file, a URL, or - for stdin",
        implement="a module for each tool that calls the API (needs toolgen[http])",
    )
    add_repeated(parser, "--include", "PATTERN", "only these operations")
    add_repeated(parser, "--exclude", "PATTERN", "not these operations")
    parser.add_argument(
        "--max", type=whole_number, metavar="N", help="only the first N of them, in the order of the document"
    )
    add_flag(parser, "--list", "print these operations (name, method, path, summary), and write nothing")
    parser.add_argument(
        "--env-prefix",
        metavar="NAME",
        help="prefix of this API's environment variables (default: the project's name)",
    )
    add_choice(
        parser,
        "--answers",
        ANSWERS,
        "what is checked of answers: all; all but formats; nothing, but differences are logged "
        "(default: as specs or the configuration say, or shape)",
    )
    add_repeated(
        parser,
        "--allow-variable",
        "NAME",
        "allow an environment variable that holds another service's credential, or that is already "
        "sent to another host",
    )


def run(args: argparse.Namespace) -> bool:
    is_url = args.source.startswith(("http://", "https://"))
    with source_errors():
        prefix = check_prefix(args.env_prefix) if args.env_prefix else ""
        content = fetch_document(args.source) if is_url else read_source(args.source, args.start)
        source = parse_document(content.data, content.name)
    # a document from the network or a pipe must not name files here
    has_files = not is_url and args.source != "-"
    load = load_beside(Path(args.start, args.source), args.source) if has_files else refuse_files

    options = ImportOptions(
        args.include, args.exclude, args.max, prefix, allowed=args.allow_variable, answers=args.answers or ""
    )
    if args.list:
        left_out = LeftOut()
        with source_errors():
            operations = find_operations(source, load, options, left_out)
        say(*left_out.messages())
        _show(operations[: args.max], as_json=args.format == "json")
        return True

    def convert(context: ImportContext) -> ImportedTools:
        tools = import_openapi(
            source,
            load,
            options=with_project(options, context, sync=args.sync),
            existing=context.names,
            on_progress=partial(context.progress, "reading operations"),
            left_out=context.left_out,
        )
        _check_secrets(tools, context, args.allow_variable)
        return with_shared_components(tools, source.data, context, sync=args.sync)

    return common.run_import(args, convert, OWNED, http_modules if args.implement else None)


def _show(operations: Sequence[Operation], *, as_json: bool) -> None:
    if as_json:
        fields = ("name", "path", "summary", "tags")
        emit_json(
            [
                {"method": each.method.upper(), **{field: getattr(each, field) for field in fields}}
                for each in operations
            ]
        )
        return
    width = min(_MAX_NAME, max((len(each.name) for each in operations), default=0))
    for each in operations:
        summary = shorten(each.summary, _MAX_SUMMARY, placeholder="…")
        emit(f"{each.name:{width}}  {each.title}  {summary}".rstrip())
    say(count(len(operations), "operation"))


def _check_secrets(tools: Sequence[ImportedTool], context: ImportContext, allowed: Sequence[str]) -> None:
    """Print where each secret is sent. Raises `SourceError` if one would be sent to a second host."""
    existing: list[Mapping[str, Any]] = [
        spec.data for spec in context.specs.sources.values() if isinstance(spec.data, dict)
    ]
    new = secret_destinations([tool.fields for tool in tools])
    for line in _disclosure(new):
        say(line)
    # a secret that one host knows is not sent to another because a document says so
    refuse_new_hosts(new, secret_destinations(existing), allowed)


def _disclosure(secrets: Sequence[SecretDestination]) -> Iterator[str]:
    """Yield one line for every variable that tools send, and where to."""
    for each in secrets:
        if each.host:
            yield f"  secret {each.variable}: sent to {each.host}, or to the URL in {each.base_url}"
        else:
            yield f"  secret {each.variable}: sent to the URL in {each.base_url}"
        if each.host.startswith("http://"):
            yield f"  {each.host} is not encrypted: others on the network can read {each.variable}"
