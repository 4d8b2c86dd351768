"""Design tools with one command: a page that reloads, mocks to call, lint, and what would break callers.

Follows the specs until ^C. After each change the page shows them, then the mock serves them, lint runs, and
the contracts are compared with another version: main, where that has the project. Only --implementations
runs code of the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from toolgen.changes.comparing.against import find_commit
from toolgen.changes.comparing.sides import files_at
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.fresh_output import add_frozen
from toolgen.cli.linting import lint_specs
from toolgen.cli.page_server import serve_page
from toolgen.cli.parser import add_against, add_flag
from toolgen.cli.report.text import render_entries
from toolgen.project import UnableError
from toolgen.project.building.project_build import read_inputs

_DEFAULT = "main"


def arguments(parser: argparse.ArgumentParser) -> None:
    from toolgen.serving.command import add_server_flags

    add_against(parser, "the version to compare the contracts with (default: main, if it has the project)")
    add_frozen(parser)
    add_flag(parser, "--implementations", "call the implementations, and not mocks")
    add_server_flags(parser, is_http=True)


def run(args: argparse.Namespace) -> ExitCode:
    against = args.against or (_DEFAULT if _is_on_main(args.start) else None)

    def lint() -> Sequence[str]:
        return _findings(args.start)

    return serve_page(args, against, implementations=args.implementations, followers=(lint,))


def _is_on_main(start: str) -> bool:
    """True if main has this project, with specs."""
    inputs = read_inputs(start)
    try:
        main = find_commit(_DEFAULT, start)
    except UnableError:
        return False
    try:
        files_at(main, inputs.project)
    except UnableError as error:
        if error.code not in ("no-configuration", "no-specs"):
            raise
        return False
    return True


def _findings(start: str) -> Sequence[str]:
    """Return what lint finds, as lines."""
    inputs = read_inputs(start)
    result = lint_specs(inputs.specs, inputs.targets, inputs.settings, inputs.project.lint)
    shown = [entry for entry in result.report.entries if not entry.accepted]
    return render_entries(shown, result.report.texts, color=False).splitlines()
