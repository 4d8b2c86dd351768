"""Write a spec for functions of Python: type hints become schemas, the docstring its words.

SOURCE is MODULE:FUNCTION, MODULE for all its public functions, or a file: path/to/module.py:function.
Importing a module runs its code: do so only with code that you trust. It is imported in a process of its own,
with the Python that toolgen runs on, and ended after a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolgen.cli.importing import add_arguments, bring_in, refusing

_SECONDS = 60.0
_MAX_BYTES = 64 * 1024 * 1024


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "MODULE:FUNCTION, MODULE, or a file of Python; several will do", several=True)


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.python import OWNED, import_python

    with refusing():
        functions = look(args.source, Path(args.start).resolve())
    return bring_in(args, lambda names: import_python(functions, names), OWNED)


def look(targets: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """What the functions say of themselves, asked in a process of its own. Raises `SourceError`."""
    from toolgen.importers.tool import SourceError

    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        result = Path(scratch, "result.json")
        command = [sys.executable, "-P", "-B", "-m", "toolgen.cli.import_child"]
        code = _watched([*command, str(_SECONDS), str(result), str(folder), *targets], folder)
        if code is None:
            raise SourceError(
                f"{', '.join(targets)}: not imported within {_SECONDS:.0f} seconds",
                _ENDED,
            )
        if not result.is_file():
            raise SourceError(f"{', '.join(targets)}: the import ended its process{_how(code)}", _ENDED)
        if result.stat().st_size > _MAX_BYTES:
            raise SourceError(f"{', '.join(targets)}: schemas of more than 64 MB", "import a part of it")
        answer: dict[str, Any] = json.loads(result.read_text("utf-8"))
    if "error" in answer:
        raise SourceError(answer["error"], answer["hint"])
    functions: list[dict[str, Any]] = answer["functions"]
    return functions


_ENDED = "importing a module runs it: guard what it starts with `if __name__ == '__main__':`"


def _how(code: int) -> str:
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _watched(command: list[str], folder: Path) -> int | None:
    """Run a command unheard, in a group that ends with it; its exit code, None where it took too long."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(_SECONDS + 1)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process, and what it has started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
