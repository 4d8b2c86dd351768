"""The generated module of a project's MCP server, imported."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolgen.project import UnableError

_PACKAGE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def generated_server(package: str, folder: Path) -> Any:
    """Import the server's module of a generated package in `folder`. Raises `UnableError` without one."""
    name = f"{package}.mcp_server"
    try:
        found = _PACKAGE.fullmatch(package) is not None and find_spec(name) is not None
    except (ModuleNotFoundError, ValueError) as error:
        # another module that is missing is an error of the code, and keeps its traceback
        if isinstance(error, ModuleNotFoundError) and not f"{name}.".startswith(f"{error.name}."):
            raise
        found = False
    if not found:
        message = f"there is no module {name} in {folder}"
        hint = (
            "run `toolgen generate` with the target mcp, or name the generated package: toolgen serve PACKAGE"
        )
        raise UnableError("not-generated", message, hint)
    return import_module(name)
