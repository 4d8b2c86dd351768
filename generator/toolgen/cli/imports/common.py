"""Arguments and output that all imports share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.base.suggestions import count, listed
from toolgen.cli.output import emit, emit_json, progress_line, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.project import UnableError, find_project
from toolgen.project.scaffolding.new_project import create_project
from toolgen.sources.json_source import JsonDocument, read_json_documents
from toolgen.sources.loading.imported_specs import ImportRequest, import_tools, project_for
from toolgen.sources.loading.source_content import read_source, source_errors
from toolgen.testing.tool_under_test import tool_under_test

if TYPE_CHECKING:
    from toolgen.project import Project
    from toolgen.sources.imported_tool import ImportedTool, LeftOut
    from toolgen.sources.loading.imported_specs import Convert, Implementations
    from toolgen.sources.spec_names import ExistingNames

    ImportList = Callable[[Sequence[JsonDocument], str, ExistingNames, LeftOut], list[ImportedTool]]


def make_project(start: str) -> Project:
    """Make a project in the folder, and say so."""
    root = Path(os.path.realpath(start))
    written, _ = create_project(root, None)
    others = count(len(written) - 1, "other file")
    say(f"made a project, as `toolgen init` does: {written[0].path} and {others}")
    return find_project(root)


def add_arguments(
    parser: argparse.ArgumentParser, source: str, *, several: bool = False, implement: str = ""
) -> None:
    """Add the arguments of every import; with `several`, SOURCE may be repeated.

    `implement` says what --implement writes besides; without it, there is no such option.
    """
    parser.add_argument("source", metavar="SOURCE", help=source, nargs="+" if several else None)
    parser.add_argument(
        "--into", metavar="DIR", help="the folder for the specs (default: the project's specs folder)"
    )
    add_flag(
        parser, "--sync", "update earlier imports and keep manual changes; new tools get `enabled: false`"
    )
    parser.add_argument(
        "--strict", action="store_true", help="write nothing if a tool of the source cannot be imported"
    )
    if implement:
        add_flag(parser, "--implement", f"also write {implement}")
    add_format(parser)


def converted(args: argparse.Namespace, importer: ImportList) -> Convert:
    """Return what converts the list of tools in JSON that SOURCE names."""
    content = read_source(args.source, args.start)
    with source_errors():
        documents = read_json_documents(content.data, content.name, is_file=content.is_file)
    return lambda context: importer(documents, content.name, context.names, context.left_out)


def run_import(
    args: argparse.Namespace,
    convert: Convert,
    owned: tuple[str, ...],
    implementations: Implementations | None = None,
    *,
    upstream: str = "",
) -> bool:
    """Write the specs of the tools that `convert` returns, and report what was done."""
    request = ImportRequest(args.kind, args.start, args.into, args.sync, args.strict, upstream)
    with progress_line("importing tools") as progress:
        result = import_tools(
            request, convert, owned, implementations, make_project=make_project, progress=progress
        )
    tools = result.program.tools if result.program else ()
    # said at once: a user could take the imported specs for tested
    not_tested = [tool.spec.name for tool in tools if not tool_under_test(tool).is_harmless]
    say(*(f"  {note}" for note in result.module_notes))
    if args.format == "json":
        data = {"tools": result.tools, "written": result.written, "notes": list(result.notes)}
        emit_json({**data, "not_tested": not_tested, "left_out": list(result.left_out)})
        return True
    say(*(f"  {note}" for note in (*result.notes, *result.left_out)))
    emit(*result.written)
    say(f"{count(result.tools, 'tool')} in the source, {count(result.specs, 'spec')} written")
    if not_tested:
        say(_describe_not_tested(not_tested))
    return True


def _describe_not_tested(names: Sequence[str]) -> str:
    they = "it" if len(names) == 1 else "they"
    return (
        f"`toolgen test` does not call {count(len(names), 'tool')}: {they} may change or destroy something "
        f"({listed(names)}); `toolgen test` says what to do"
    )


def check_implementations_setting(args: argparse.Namespace) -> Project:
    """Return the project, or the one that would be made.

    Raises UnableError if it does not say where implementations go.
    """
    project = project_for(args.start, args.into) or find_project(Path(args.start))
    if project.implementations is None:
        message = f"--implement: {project.file} does not say where implementations go"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')
    return project
