"""Arguments in, exit code out. The only place that decides exit codes, and the only one that shows faults.

A verb is a module of `commands/` with `arguments(parser)` and `run(args)`: True for clean, False for the
finding that the verb is there to make. It is imported when it is called: `toolgen --help` loads none.
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

VERBS = {
    "init": "set up a project: configuration, folders, CI, pre-commit",
    "new": "write a new tool: spec, implementation, test",
    "generate": "write the code that the specs describe",
    "outputs": "print the files that generate writes, before it does",
    "check": "check that generated code is up to date; show a diff if it is not",
    "import": "write specs for tools that exist: of an MCP server, of OpenAI, of an HTTP API",
    "export": "print a target's tool definitions as JSON",
    "call": "call one tool's implementation, validated",
    "schema": "print the JSON Schema of the spec language",
    "explain": "explain a diagnostic code",
}

_ASYNC = {
    "toolgen.cli.commands.call",
    "toolgen.cli.commands.import_",
}  # asyncio handles ^C itself, if nobody else does
_NOT_OURS = {errno.EACCES, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EROFS}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    from toolgen.cli.out import flush
    from toolgen.cli.parser import Done, parse

    _use_utf8()
    args: argparse.Namespace | None = None
    try:
        if "_ARGCOMPLETE" in os.environ:
            import_module("toolgen.cli.completion").complete()
        args = parse(sys.argv[1:] if argv is None else list(argv))
        return CLEAN if _run(args) else FINDING
    except Done:
        return CLEAN
    except KeyboardInterrupt:
        sys.stderr.write("toolgen: interrupted\n")
        return INTERRUPTED
    except Exception as error:
        return _shown(error, args)
    finally:
        flush()


def _run(args: argparse.Namespace) -> bool:
    """Run the verb. ^C ends it with KeyboardInterrupt, whatever code it meets on its way."""
    if args.run.__module__ in _ASYNC:
        return bool(args.run(args))
    from toolgen.project.interrupts import remembered_interrupts

    with remembered_interrupts():
        return bool(args.run(args))


def _shown(error: Exception, args: argparse.Namespace | None) -> int:
    """Report what went wrong, in words for the person who can fix it; return the exit code."""
    from toolgen.cli import faults
    from toolgen.data.diagnostic import SpecErrors
    from toolgen.project.errors import UnableError, reason

    if isinstance(error, OSError) and error.errno in _NOT_OURS:
        error = UnableError("cannot-write", f"{error.filename or 'the system'}: {reason(error)}")
    if not isinstance(error, SpecErrors | UnableError):
        from toolgen.cli import requirements

        wrong = requirements.explain(error)
        if wrong is not None:
            if os.environ.get("TOOLGEN_DEBUG") == "1":
                faults.report_traceback(error)
            error = wrong
    if isinstance(error, SpecErrors | UnableError):
        faults.show_error(error, args)
        return UNABLE
    faults.report_bug(error)
    return BUG


def _use_utf8() -> None:
    """Everything printed is UTF-8, whatever the locale says; and a closed stream is one that nobody reads."""
    from io import TextIOWrapper

    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
