"""Exit codes, the same for every command and output format: decided and explained here."""

from __future__ import annotations

import errno
import os
from enum import IntEnum

from toolgen.project import UnableError, reason


class ExitCode(IntEnum):
    """An exit code. Scripts depend on the numbers."""

    CLEAN = 0
    FINDING = 1
    UNABLE = 2
    BUG = 3
    INTERRUPTED = 130  # 128 + SIGINT, as shells do


MEANINGS = {
    ExitCode.CLEAN: "clean",
    ExitCode.FINDING: "the command's own finding: outdated code, a failed call",
    ExitCode.UNABLE: "could not do it: wrong usage, configuration or spec",
    ExitCode.BUG: "a bug in toolgen",
    ExitCode.INTERRUPTED: "interrupted",
}
"""The meaning of each exit code, as `toolgen --help` prints it."""

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_SYSTEM_ERRORS = (errno.EACCES, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, *_NO_SPACE)


def exit_code(outcome: bool | ExitCode | BaseException) -> ExitCode:
    """Return the exit code of a command that returned or raised `outcome`."""
    if isinstance(outcome, ExitCode):
        return outcome
    if isinstance(outcome, bool):
        return ExitCode.CLEAN if outcome else ExitCode.FINDING
    if isinstance(outcome, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    from toolgen.language.diagnostic import SpecErrors  # no command that succeeds needs it

    return ExitCode.UNABLE if isinstance(outcome, SpecErrors | UnableError) else ExitCode.BUG


_EXTRAS = {
    "approval": "cbor2 cryptography webauthn",
    "cli": "argcomplete griffe griffelib jinja2 markupsafe platformdirs ruff tomlkit yaml",
    "lsp": "attr attrs cattrs lsprotocol pygls",
    "mcp": "anyio mcp mcp_types starlette uvicorn",
}
"""Extra → the top-level modules of its packages, and of those that they need."""
_PARTS = {
    "approval": "what verifies signatures",
    "cli": "toolgen's generator",
    "lsp": "the language server",
    "mcp": "the server of MCP",
}


def users_error(error: Exception) -> UnableError | None:
    """Return the error to report for a missing extra, a setting, a broken module, or a system limit."""
    from toolgen.runtime.settings import SettingError  # no command that succeeds needs these
    from toolgen.runtime.tool_search import SearchUnavailableError

    if isinstance(error, SettingError):
        return UnableError("invalid-setting", str(error))
    if isinstance(error, SearchUnavailableError):
        return UnableError(
            "no-search", str(error), "use a Python whose SQLite has FTS5, as that of python.org"
        )
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    for extra, modules in _EXTRAS.items():
        if module in modules.split():
            message = f"{_PARTS[extra]} is not installed ({module} is missing)"
            return UnableError("not-installed", message, f"pip install 'toolgen[{extra}]'")
    # Modules have absolute paths; texts that toolgen itself compiles have none.
    if isinstance(error, SyntaxError) and os.path.isabs(error.filename or ""):
        message = f"the generated code cannot be imported: {type(error).__name__}: {error}"
        return UnableError("not-generated", message, "run `toolgen generate`")
    # a full disk or a missing right is not a bug in toolgen
    if isinstance(error, OSError) and error.errno in _SYSTEM_ERRORS:
        return UnableError("cannot-write", f"{error.filename or 'the system'}: {reason(error)}")
    return None
