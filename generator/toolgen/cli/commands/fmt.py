"""Put the fields of specs in the order of the language; comments move with the field below them.

Nothing else changes: blank lines, flow and block style, quotes, wrapped texts and schemas stay as they are
written. A file whose meaning would change stays as it is. Exit 1 with --check if a file would change. Without
FILEs, all specs of the project; - formats stdin. If one of the files is not valid YAML, none is written.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolgen.base.files import FileKind
from toolgen.base.suggestions import count
from toolgen.cli.output import emit, emit_content, emit_json, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.formatting import format_spec
from toolgen.project import Project, UnableError, kind_of, read_project, replace_files
from toolgen.project.inputs.specs import select_specs, too_large
from toolgen.schema.budget import BUDGET

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="format these specs; - is stdin")
    add_flag(parser, "--check", "write nothing; show a diff, and exit 1 if any")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    is_stdin = "-" in args.files
    if is_stdin and args.files != ["-"]:
        raise UnableError(
            "usage", "stdin is formatted alone: - is the only FILE then", "leave out the others"
        )
    if is_stdin:
        root, texts = Path(), {"stdin": _read_stdin()}
    else:
        project, texts = _read_specs(args)
        root = project.root
    changed = _changed(texts)
    if changed and not (args.check or is_stdin):
        replace_files(root, changed)
    if args.format == "json":
        emit_json({"changed": list(changed), "unchanged": len(texts) - len(changed)})
    elif is_stdin and not args.check:
        emit_content(changed.get("stdin", texts["stdin"].decode()))
    else:
        emit(*(_diff(texts, changed) if args.check else changed))
        verb = "would change" if args.check else "changed"
        summary = f"{len(changed)} {verb}" if changed else "all formatted"
        say(f"{count(len(texts), 'file')}: {summary}")
    return not (args.check and changed)


def _read_stdin() -> bytes:
    content = sys.stdin.buffer.read(BUDGET.spec_bytes + 1)
    if len(content) > BUDGET.spec_bytes:
        raise UnableError("too-complex", f"stdin has {too_large(len(content))}")
    return content


def _read_specs(args: argparse.Namespace) -> tuple[Project, dict[str, bytes]]:
    """Return the project, and the specs to format by their paths below its folder."""
    read = read_project(args.start)
    project = read.project
    specs = {f"{project.specs}/{path}".removeprefix("./"): text for path, text in read.specs.items()}
    only = select_specs(project, args.start, args.files, specs) or specs
    # a link leads to another spec, which is formatted itself
    links = {path for path in only if kind_of(project.root, path) is FileKind.LINK}
    return project, {path: specs[path] for path in only if path not in links}


def _changed(texts: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files that are not formatted, with their new texts. Raises `SpecErrors` for all files."""
    faults: list[Diagnostic] = []
    changed: dict[str, str] = {}
    for path, content in texts.items():
        try:
            formatted = format_spec(path, content)
        except SpecErrors as error:
            faults += error.diagnostics
            continue
        if formatted.encode() != content:
            changed[path] = formatted
    if faults:
        raise SpecErrors(faults, texts)
    return changed


def _diff(texts: Mapping[str, bytes], changed: Mapping[str, str]) -> Iterator[str]:
    for path, text in changed.items():
        old = texts[path].decode().splitlines()
        yield from difflib.unified_diff(old, text.splitlines(), path, f"{path} (formatted)", lineterm="")
