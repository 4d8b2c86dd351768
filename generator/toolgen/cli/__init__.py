"""The command line: arguments in, exit code out. Errors are caught here and shown.

A command is a module of `commands/` with `arguments(parser)` and `run(args)`, which returns True for clean
and False for the command's own finding; servers return an ExitCode. One that ends soon and runs no code of
the project says so with `IS_SHORT`; one that may take seconds says in `WORK` what it does meanwhile. It is
imported when the command runs: `toolgen --help` imports none.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from io import TextIOWrapper

from toolgen.cli.exit_codes import ExitCode, exit_code, users_error
from toolgen.cli.output import flush, progress_line, say
from toolgen.cli.parser import HelpPrinted, complete, parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _use_utf8()
    # imports and short commands make almost no garbage: looking for it takes a tenth of the time
    gc.disable()
    args: argparse.Namespace | None = None
    try:
        if "_ARGCOMPLETE" in os.environ:
            complete()
        args = parse(sys.argv[1:] if argv is None else list(argv))
        return exit_code(_run(args))
    except HelpPrinted:
        gc.freeze()  # the interpreter need not look for garbage when it ends
        return ExitCode.CLEAN
    except KeyboardInterrupt as interrupt:
        say("toolgen: interrupted", always=True)
        return exit_code(interrupt)
    except MemoryError as error:
        error.__traceback__ = error.__context__ = None  # frees what the command holds
        say("toolgen: out of memory", always=True)
        return ExitCode.BUG
    except Exception as error:
        return _report(error, args)
    finally:
        flush()
        gc.enable()


def _run(args: argparse.Namespace) -> bool | ExitCode:
    """Run the command. SIGTERM and SIGHUP end it as SIGINT does."""
    run: Callable[[argparse.Namespace], bool | ExitCode] = args.run
    # a server warns by itself, when it knows the format of its log
    if not hasattr(args, "log_format") and any(name.startswith("TOOLGEN_") for name in os.environ):
        from toolgen.runtime.settings import misspelt_variables  # few users set variables

        for message in misspelt_variables(os.environ):
            from toolgen.runtime.logs.configure import announce  # 9 ms

            announce(f"warning: {message}")
    module = sys.modules[run.__module__]
    work = getattr(module, "WORK", "")
    progress = progress_line(work) if work else nullcontext()
    if not getattr(module, "IS_SHORT", False):
        from toolgen.project.files.interrupts import terminations_as_interrupts  # not for short commands

        gc.enable()
        with terminations_as_interrupts(), progress:
            return run(args)
    try:
        with progress:
            return run(args)
    finally:
        gc.freeze()  # as above


def _report(error: Exception, args: argparse.Namespace | None) -> int:
    """Show an error and return the exit code."""
    from toolgen.cli import diagnostics  # 13 ms, for errors only

    error = users_error(error) or error
    if exit_code(error) == ExitCode.BUG:
        diagnostics.report_bug(error)
    else:
        diagnostics.show_error(error, args)
    return exit_code(error)


def _use_utf8() -> None:
    """Print UTF-8 whatever the locale is; replace streams that were closed before the start."""
    # Python has None for a stream that was closed before the start
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
