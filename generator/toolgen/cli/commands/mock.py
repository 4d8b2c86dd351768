"""Serve the specs over MCP before you implement them: mock tools answer every call.

A call that matches an example gets its output or error; any other call gets a made-up answer that is valid
by the output schema. Changes of the specs are served at once. Generates what is out of date, but needs no
generated code.
Without --http, the server speaks MCP over stdin and stdout.
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.base.suggestions import count
from toolgen.cli import diagnostics
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_package import add_frozen, bring_up_to_date
from toolgen.cli.output import say
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.project.building.watch import Snapshot, changes, snapshot
from toolgen.serving.command import add_server_flags, serve

if TYPE_CHECKING:
    from toolgen.serving import ToolServer
    from toolgen.testing.mock.toolkit import ServedSpecs


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        nargs="?",
        default=".",
        metavar="PATH",
        help="a project, a folder of specs, or one spec (default: the project here)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="NUMBER", help="seed of made-up answers (default: 0)"
    )
    parser.add_argument(
        "--latency", type=float, default=0.0, metavar="SECONDS", help="wait before each answer (default: 0)"
    )
    parser.add_argument(
        "--fail",
        type=_rate,
        action="append",
        default=[],
        metavar="CODE=RATE",
        help="end this share of the calls, from 0 to 1, in an error (may be repeated)",
    )
    add_frozen(parser)
    add_server_flags(parser)


def run(args: argparse.Namespace) -> ExitCode:
    stop = threading.Event()

    def build() -> ToolServer:
        mock = _mock(args)
        _warn(mock)
        if mock.source.is_configured and not mock.source.only:
            bring_up_to_date(mock.source.project, args, serves=True)
        threading.Thread(target=_follow, args=(mock, stop), name="specs", daemon=True).start()
        return mock.server()

    try:
        return ExitCode(serve(build, args))
    finally:
        stop.set()


def _rate(text: str) -> tuple[str, float]:
    code, separator, rate = text.partition("=")
    try:
        return code, float(rate if separator else "1")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not CODE=RATE, timeout=0.1 for example") from None


def _mock(args: argparse.Namespace) -> ServedSpecs:
    from toolgen.testing.mock.tool import Faults, check_faults  # 300 ms, which the help need not wait for
    from toolgen.testing.mock.toolkit import ServedSpecs

    specs, faults = Path(args.start, args.path), Faults(args.latency, dict(args.fail))
    mock = ServedSpecs(specs, faults, args.seed)
    try:
        check_faults(faults, mock.contracts)
    except ValueError as error:
        raise UnableError("usage", str(error), "see `toolgen mock --help`") from None
    return mock


def _warn(mock: ServedSpecs) -> None:
    """Show the warnings about examples of which a mock can give one answer only."""
    found = [warning for warning in mock.warnings if warning.code == "contradicting-examples"]
    if found:
        diagnostics.show(found, str(mock.source.project.root))


def _follow(mock: ServedSpecs, stop: threading.Event) -> None:
    """Serve the specs anew whenever they change, until `stop` is set; report faults, and continue."""

    def state() -> Snapshot:
        return snapshot(mock.source.project.root, (str(mock.source.folder),))

    for _ in changes(state, stop=stop):
        try:
            changed = mock.reload()
        except (SpecErrors, UnableError) as error:
            diagnostics.show_error(error, argparse.Namespace(start=str(mock.source.project.root)))
            say("the last good contracts are still served")
        except Exception as error:  # the server goes on with the contracts that it has
            diagnostics.report_bug(error)
        else:
            if changed:
                say(f"serving {count(len(changed), 'changed tool')}: {', '.join(changed)}")
