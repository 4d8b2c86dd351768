"""unshown-property: a confirmed tool acts on a property that its question does not show.

Example:

    confirm: {message: "Continue?"}

Use instead:

    confirm: {message: "Continue with order {order_id}?"}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.schema.document import in_place_subschemas, resolve_reference
from toolgen.suggestions import quoted

_PLACEHOLDER: Final = re.compile(r"\{([^{}|]+)\}")  # `{list|count}` shows a number, and no item
_MOST_NAMES: Final = 12


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a question without preview that does not name every property of the request."""
    confirm = tool.spec.confirm
    if confirm is None or confirm.preview or not isinstance(tool.input_schema, Mapping):
        return
    shown = [match[1].strip().split(".") for match in _PLACEHOLDER.finditer(confirm.message)]
    missing = [".".join(path) for path in _unshown(tool.input_schema, [tool.input_schema], shown)]
    if missing:
        names = ", ".join(map(quoted, missing[:_MOST_NAMES]))
        more = f" and {len(missing) - _MOST_NAMES} more" if len(missing) > _MOST_NAMES else ""
        yield Diagnostic(
            tool.source.value(("confirm", "message")),
            "unshown-property",
            f"the user agrees without seeing {names}{more}",
            "name them in the message, or set `preview: true` and show them there",
        )


def _unshown(
    root: Mapping[str, Any], schemas: list[Any], shown: Sequence[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield the paths of properties that no path in `shown` leads to, with all that is in them."""
    for name, inner in _properties(root, schemas).items():
        deeper = [path[1:] for path in shown if path[0] == name]
        if any(not path for path in deeper) or all(
            isinstance(each, dict) and "const" in each for each in inner
        ):
            continue  # shown as a whole, or without a choice
        below = [] if not deeper else [(name, *path) for path in _unshown(root, inner, deeper)]
        if not deeper or not _properties(root, inner):
            below = [(name,)]
        yield from below


def _properties(root: Mapping[str, Any], schemas: list[Any]) -> dict[str, list[Any]]:
    """Return the schemas of each property of a value that `schemas` describe."""
    found: dict[str, list[Any]] = {}
    seen: list[Any] = []
    waiting = list(schemas)
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, Mapping) or any(node is each for each in seen):
            continue
        seen.append(node)
        for name, inner in node.get("properties", {}).items():
            found.setdefault(name, []).append(inner)
        waiting += [inner for _, inner in in_place_subschemas(node, ())]
        target = resolve_reference(root, node["$ref"]) if "$ref" in node else None
        waiting += [] if target is None else [target.value]
    return found
