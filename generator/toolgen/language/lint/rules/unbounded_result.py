"""unbounded-result: a result with a list that nothing limits.

Example:

    output_schema:
      type: object
      properties: {orders: {type: array, items: {type: object}}}

Use instead:

    output_schema:
      type: object
      properties: {orders: {type: array, maxItems: 50, items: {type: object}}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a list at the top of the response that neither the spec nor an argument limits."""
    schema, spec = tool.output_schema, tool.spec
    if not isinstance(schema, Mapping) or spec.page or spec.max_result_bytes is not None:
        return
    arguments = tool.input_schema.get("properties", {}).values()
    if any(map(_limits, arguments)) or (_changes(tool) and any(map(_lists, arguments))):
        return
    for name, node in schema.get("properties", {}).items():
        # scalars are short: hundreds of them fit
        items = node.get("items") if isinstance(node, Mapping) and node.get("type") == "array" else None
        if isinstance(items, Mapping) and "maxItems" not in node and not _is_scalar(items):
            yield Diagnostic(
                tool.source.value(("output_schema", "properties", name)),
                "unbounded-result",
                "nothing limits how many items a result has",
                "add `maxItems` or `max_result_bytes`, or pages with `page`",
            )
            return


def _limits(argument: object) -> bool:
    """True if an argument may limit the result: a number that has a maximum itself."""
    if not isinstance(argument, Mapping):
        return False
    return argument.get("type") in ("integer", "number") and "maximum" in argument


def _changes(tool: ProgramTool) -> bool:
    """True if the tool says that it changes something: given a list, it answers for each of its items."""
    return tool.spec.annotations is not None and tool.spec.annotations.readOnlyHint is False


def _lists(argument: object) -> bool:
    return isinstance(argument, Mapping) and argument.get("type") == "array"


def _is_scalar(items: Mapping[str, object]) -> bool:
    return items.get("type") in ("string", "integer", "number", "boolean") or "enum" in items
