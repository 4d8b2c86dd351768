"""The command line: arguments in, exit code out. Exit codes are decided here, and errors are shown here.

A command is a module of `commands/` with `arguments(parser)` and `run(args)`, which returns True for clean
and False for the command's own finding. It is imported when the command runs: `toolgen --help` imports none.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

CLEAN, FINDING, UNABLE, BUG, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: nothing to report, the command's own finding, could not do it, a bug in toolgen, SIGINT."""

_ASYNC = {  # asyncio handles SIGINT itself, unless there is a handler already
    "toolgen.cli.commands.call",
    "toolgen.cli.commands.import_",
}
_SYSTEM_ERRORS = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOSPC,
    errno.EROFS,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from toolgen.cli.output import flush
    from toolgen.cli.parser import HelpPrinted, parse

    _use_utf8()
    args: argparse.Namespace | None = None
    try:
        if "_ARGCOMPLETE" in os.environ:
            import_module("toolgen.cli.completion").complete()
        args = parse(sys.argv[1:] if argv is None else list(argv))
        return CLEAN if _run(args) else FINDING
    except HelpPrinted:
        return CLEAN
    except KeyboardInterrupt:
        sys.stderr.write("toolgen: interrupted\n")
        return INTERRUPTED
    except Exception as error:
        return _report(error, args)
    finally:
        flush()


def _run(args: argparse.Namespace) -> bool:
    """Run the command; SIGINT ends it with KeyboardInterrupt, even if other code swallows the exception."""
    if args.run.__module__ in _ASYNC:
        return bool(args.run(args))
    from toolgen.project.interrupts import remembered_interrupts

    with remembered_interrupts():
        return bool(args.run(args))


def _report(error: Exception, args: argparse.Namespace | None) -> int:
    """Show an error and return the exit code."""
    from toolgen.cli import diagnostics
    from toolgen.data.diagnostic import SpecErrors
    from toolgen.project.errors import UnableError, reason

    if isinstance(error, OSError) and error.errno in _SYSTEM_ERRORS:
        error = UnableError("cannot-write", f"{error.filename or 'the system'}: {reason(error)}")
    if not isinstance(error, SpecErrors | UnableError):
        from toolgen.cli import installation

        cause = installation.explain(error)
        if cause is not None:
            if os.environ.get("TOOLGEN_DEBUG") == "1":
                diagnostics.print_traceback(error)
            error = cause
    if isinstance(error, SpecErrors | UnableError):
        diagnostics.show_error(error, args)
        return UNABLE
    diagnostics.report_bug(error)
    return BUG


def _use_utf8() -> None:
    """Print UTF-8 whatever the locale is; replace streams that were closed before the start."""
    from io import TextIOWrapper

    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
