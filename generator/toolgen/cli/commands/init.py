"""Set up a project: settings, folders, git attributes, workflow, pre-commit hook. Existing files are kept."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from toolgen.cli.output import emit_json, say
from toolgen.cli.parser import add_format
from toolgen.project import find_configuration, find_project
from toolgen.project.scaffolding.new_project import NewFile, create_project


def arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    root = Path(os.path.realpath(args.start))
    project = find_project(root) if find_configuration(root) else None
    written, kept = create_project(root, project)
    if args.format == "json":
        emit_json({"written": [s.path for s in written], "kept": [s.path for s in kept]})
    else:
        _report(written, kept)
    return True


def _report(written: list[NewFile], kept: list[NewFile]) -> None:
    for file in written:
        say(f"{'added to' if file.appends else 'wrote'} {file.path}")
    for file in kept:
        advice, *lines = file.advice.splitlines() or [""]
        say(f"kept {file.path}, which exists already" + (f"; {advice}" if advice else ""), *lines)
    for file in written:
        if file.note:
            say(file.note, always=True)
    say("next: toolgen new my_tool, fill in its spec and `execute`, then toolgen call my_tool")
