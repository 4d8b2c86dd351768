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
from toolgen.runtime.adapters.mcp.main import serve
from toolgen.testing.mock.faults import Faults
from toolgen.testing.mock.toolkit import Mock

if TYPE_CHECKING:
    from toolgen.runtime.adapters.mcp import ToolServer


def serve_mock(args: argparse.Namespace) -> ExitCode:
    """Serve the specs that the command line names until the client or a signal ends it."""

    stop = threading.Event()

    def build() -> ToolServer:
        mock = _mock(args)
        threading.Thread(target=_follow, args=(mock, stop), name="specs", daemon=True).start()
        return _server(mock)

    try:
        return ExitCode(serve(build, args))
    finally:
        stop.set()


def _mock(args: argparse.Namespace) -> Mock:
    try:
        return Mock(Path(args.start, args.path), Faults(args.latency, dict(args.fail)), args.seed)
    except (SpecErrors, UnableError):
        raise
    except ValueError as error:
        raise UnableError("usage", str(error), "see `toolgen mock --help`") from None


def _server(mock: Mock) -> ToolServer:
    from toolgen.runtime.adapters.mcp import build_server

    project = mock.source.project
    return build_server(
        mock.toolkit,
        name=project.server_name or project.package,
        version=project.server_version,
        instructions=project.server_instructions,
    )


def _follow(mock: Mock, stop: threading.Event) -> None:
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
