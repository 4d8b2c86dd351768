"""Serve editors over the Language Server Protocol, on stdin and stdout: an editor starts this command.

Diagnostics as `lint` gives them, quick fixes, definitions and formatting, for the specs of every project that
a file is opened of. Completion and hover come from the YAML language server. Runs no code of the projects.
Exit 1 if the editor ends without the request `shutdown`.
"""

from __future__ import annotations

import argparse
import logging
import signal

from toolgen.cli.exit_codes import ExitCode


def arguments(parser: argparse.ArgumentParser) -> None:
    # what editors add to the command of every server
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> ExitCode:
    del args
    from toolgen.cli.language_server.server import SpecServer  # which another extra installs

    logging.disable()  # pygls logs what the editor sends, and editors show stderr
    # nothing is lost when the process ends at once; pygls would wait for the next message
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    server = SpecServer()
    server.start_io()
    # as the protocol says of the notification `exit`
    return ExitCode.CLEAN if server.was_shut_down else ExitCode.FINDING
