"""Read the definitions in a package that toolgen generated, without running it."""

from __future__ import annotations

import ast
from typing import Any

from toolgen.importers.imported_tool import SourceError
from toolgen.schema.limits import BUDGET

_CONSTANT = "DEFINITION"


def read_definition(text: bytes, name: str) -> dict[str, Any]:
    """Return the definition in a module `definitions/<tool>.py`; messages call it `name`.

    Raises `SourceError` for a module that toolgen did not write so.
    """
    refused = SourceError(f"{name} is not a definition that toolgen generated", "generate the package again")
    if len(text) > 4 * BUDGET.spec_bytes:
        raise SourceError(f"{name} has {len(text):,} bytes", "", "too-complex")
    try:
        for statement in ast.parse(text).body:
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and statement.target.id == _CONSTANT
                and statement.value is not None
            ):
                found = ast.literal_eval(statement.value)
                if isinstance(found, dict) and all(isinstance(key, str) for key in found):
                    return found
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise refused from None
    raise refused
