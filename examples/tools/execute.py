"""execute: one command that only reads, in the workspace."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel
from toolgen.runtime import ToolContext

from examples.store import command_rules, commands
from examples.store import workspace as paths
from examples.store.commands import Runner
from generated.tools.execute import (
    ExecuteRequest,
    ExecuteResponse,
    ExecuteTool,
    NotAllowedError,
    NotInstalledError,
    OutsideWorkspaceError,
    PathNotFoundError,
    TooSlowError,
)


class ExecuteMetadata(BaseModel):
    """Metadata for the application, which the model does not see."""

    seconds: float
    output_bytes: int


class Execute(ExecuteTool):
    metadata_model = ExecuteMetadata

    async def execute(
        self, request: ExecuteRequest, context: ToolContext, *, runner: Runner
    ) -> ExecuteResponse:
        began = time.monotonic()
        with _declared():
            output = await runner.run(request.command, request.arguments, request.folder, request.seconds)
        context.metadata["seconds"] = time.monotonic() - began
        context.metadata["output_bytes"] = len(output.stdout) + len(output.stderr)
        stdout, stderr = _text(output.stdout), _text(output.stderr)
        return ExecuteResponse(
            command_line=shlex.join([request.command, *request.arguments]),
            exit_code=output.exit_code,
            stdout=stdout,
            stderr=stderr,
            truncated=output.truncated,
            message=_message(request.command, output),
            warnings=_warnings(output, stdout + stderr),
        )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _message(command: str, output: commands.Output) -> str:
    if output.truncated:
        return f"{command} wrote too much and was stopped."
    if output.exit_code is not None and output.exit_code < 0:
        return f"{command} was ended by signal {-output.exit_code}."
    return f"{command} ended with exit code {output.exit_code}."


def _warnings(output: commands.Output, text: str) -> list[str]:
    found = []
    if output.truncated:
        found.append("Only the beginning of what it wrote is here.")
    if "\ufffd" in text:
        found.append("Some of what it wrote is not UTF-8 text; it is shown as \ufffd.")
    return found


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except command_rules.NotAllowedError as fault:
        raise NotAllowedError(str(fault)) from fault
    except (paths.PathNotFoundError, paths.UnreadableError, commands.NotAFolderError) as fault:
        raise PathNotFoundError(str(fault)) from fault
    except paths.OutsideWorkspaceError as fault:
        raise OutsideWorkspaceError(str(fault)) from fault
    except commands.TooSlowError as fault:
        raise TooSlowError(str(fault)) from fault
    except commands.NotInstalledError as fault:
        raise NotInstalledError(str(fault)) from fault
