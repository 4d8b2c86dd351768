"""Serve mock tools over MCP, and serve the specs anew when they change."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli import diagnostics
from toolgen.cli.building.watch import Snapshot, changes, snapshot
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.output import count, say
from toolgen.data.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.runtime.adapters.mcp.command import serve
from toolgen.testing.mock.faults import Faults, check_faults
from toolgen.testing.mock.recording import Recorder, secret_values
from toolgen.testing.mock.spec_source import find_specs
from toolgen.testing.mock.toolkit import ServedSpecs, mocking

from .upstream import Upstream

if TYPE_CHECKING:
    from toolgen.runtime.adapters.mcp import ToolServer


def serve_mock(args: argparse.Namespace) -> ExitCode:
    """Serve the specs that the command line names until the client or a signal ends it."""

    stop = threading.Event()

    def build() -> ToolServer:
        mock = _mock(args)
        _warn(mock)
        threading.Thread(target=_follow, args=(mock, stop), name="specs", daemon=True).start()
        return _server(mock)

    try:
        return ExitCode(serve(build, args))
    finally:
        stop.set()


def _mock(args: argparse.Namespace) -> ServedSpecs:
    specs, faults = Path(args.start, args.path), Faults(args.latency, dict(args.fail))
    if args.record is not None:
        if args.latency or args.fail or args.seed:
            hint = "provoke errors with a mock that records nothing"
            raise UnableError("usage", "--record takes neither --fail, --latency nor --seed", hint)
        return _recording(specs, args.record)
    mock = ServedSpecs(specs, mocking(faults, args.seed))
    try:
        check_faults(faults, mock.contracts)
    except ValueError as error:
        raise UnableError("usage", str(error), "see `toolgen mock --help`") from None
    return mock


def _recording(specs: Path, server: str) -> ServedSpecs:
    """Return tools that pass calls on to `server`, and record its answers in the specs."""
    import mcp.client.streamable_http  # noqa: F401  now, since the first call would block the event loop

    from .recording_tool import recording_tool

    recorder = Recorder(find_specs(specs).project.root, secret_values())
    upstream = Upstream(server)
    say(f"calls are passed on to {server}, and recorded as examples for review")
    return ServedSpecs(specs, lambda contract: recording_tool(contract, upstream, recorder))


def _warn(mock: ServedSpecs) -> None:
    """Show the warnings about examples of which a mock can give one answer only."""
    found = [warning for warning in mock.warnings if warning.code == "contradicting-examples"]
    if found:
        diagnostics.show(found, str(mock.source.project.root), as_json=False)


def _server(mock: ServedSpecs) -> ToolServer:
    from toolgen.runtime.adapters.mcp import build_server

    project = mock.source.project
    return build_server(
        mock.toolkit,
        name=project.server_name or project.package,
        version=project.server_version,
        instructions=project.server_instructions,
    )


def _follow(mock: ServedSpecs, stop: threading.Event) -> None:
    """Serve the specs anew whenever they change, until `stop` is set; report faults, and continue."""

    def state() -> Snapshot:
        return snapshot(mock.source.project.root, (str(mock.source.folder),))

    for _ in changes(state, stop=stop):
        try:
            changed = mock.reload()
        except (SpecErrors, UnableError) as error:
            diagnostics.show_error(error, argparse.Namespace(start=str(mock.source.project.root)))
            say("the last good contracts of these specs are still served")
        except Exception as error:  # the server goes on with the contracts that it has
            diagnostics.report_bug(error)
        else:
            if changed:
                say(f"serving {count(len(changed), 'changed tool')}: {', '.join(changed)}")
