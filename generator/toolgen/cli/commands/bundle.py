"""Make an MCP bundle (.mcpb): one file by which a client such as Claude Desktop installs the server.

The generated code must be up to date, and `targets` must have "mcp" and "mcpb". Runs no code of the
project. If the configuration has the address of the bundle, its SHA-256 is written there and to server.json.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from toolgen.base.suggestions import count, quoted
from toolgen.cli.output import command_line, emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.language.targets.builtin import BASE
from toolgen.project import UnableError, load_targets, locate, read_project, replace_files
from toolgen.project.building.bundle import make_bundle, with_recorded_hash
from toolgen.project.building.project_build import plan, write_output
from toolgen.project.cache.entries import user_cache
from toolgen.project.files.reading import file_errors, make_place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", help="default: dist/NAME-VERSION.mcpb of the project")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    read = read_project(args.start)
    targets = [each.name for each in load_targets(read.project) if each.name != BASE.name]
    if missing := [name for name in ("mcp", "mcpb") if name not in targets]:  # the server and the manifest
        message = f"a bundle needs {' and '.join(map(quoted, missing))} in `targets`"
        hint = f"write `targets = {json.dumps([*targets, *missing])}` in {read.project.file}, then run "
        raise UnableError("bundle", message, f"{hint}`{command_line(args, 'generate')}`")
    if plan(read, user_cache()).changes:
        message = f"the code in {read.project.output} is not up to date"
        raise UnableError("bundle", message, f"run `{command_line(args, 'generate')}` first")
    bundle = make_bundle(read.project)
    publish = read.project.publish
    is_recorded = publish.bundle is None or publish.bundle_sha256 == bundle.sha256
    configuration = None if is_recorded else with_recorded_hash(read.project, bundle.sha256)
    named = args.output or str(read.project.root / "dist" / bundle.name)
    shown = os.path.relpath(_write(read.project.root, named, bundle.content))
    if configuration is not None:
        replace_files(read.project.root, {read.project.file: configuration})
        write_output(plan(read_project(args.start), user_cache()))
        say(f"wrote its hash to {read.project.file}, and renewed {read.project.output}")
    if bundle.left_out:
        say(f"left out, because of their names or content: {', '.join(bundle.left_out)}", always=True)
        say("to pack one of them, name it in `include`")
    size = len(bundle.content)
    if args.format == "json":
        emit_json({"file": shown, "sha256": bundle.sha256, "bytes": size, "files": bundle.files})
        return True
    emit(f"{shown}: {count(bundle.files, 'file')}, {size:,} bytes", f"sha256 {bundle.sha256}")
    say("to install it, open it with a client that takes bundles, such as Claude Desktop")
    return True


def _write(root: Path, named: str, content: bytes) -> Path:
    """Write the bundle to `named`, whose folder is created; no link of the project leaves it."""
    folder, name = os.path.split(named)
    place = locate(root, Path(), folder or ".")
    with file_errors(place.root, "write", named, code="cannot-write"):
        make_place(place).write(name, content)
    return place.root / place.path / name
