"""Rules about a tool as a whole: its hints, its title, its examples, its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.program import ProgramTool
from toolgen.language.spec import Spec
from toolgen.runtime.logs.secret_texts import secret_texts
from toolgen.schema.document import same_value, value_key


def annotations_missing(tool: ProgramTool) -> Iterator[Diagnostic]:
    """annotations-missing: a tool that does not say whether it only reads.

    Example:

        title: Find orders

    Use instead:

        title: Find orders
        annotations: {readOnlyHint: true}
    """
    hints = tool.spec.annotations
    if hints is None or (hints.readOnlyHint is None and hints.destructiveHint is None):
        yield Diagnostic(
            tool.source.key(("name",) if hints is None else ("annotations",)),
            "annotations-missing",
            "clients cannot see whether this tool changes anything, and must suppose that it destroys",
            "add `annotations: {readOnlyHint: true}` if it only reads, or else `destructiveHint`",
        )


def contradicting_annotations(tool: ProgramTool) -> Iterator[Diagnostic]:
    """contradicting-annotations: a tool is annotated both read-only and destructive.

    Example:

        annotations: {readOnlyHint: true, destructiveHint: true}

    Use instead:

        annotations: {readOnlyHint: false, destructiveHint: true}
    """
    hints = tool.spec.annotations
    if hints is not None and hints.destructiveHint and hints.readOnlyHint:
        yield Diagnostic(
            tool.source.value(("annotations", "destructiveHint")),
            "contradicting-annotations",
            "a tool with readOnlyHint: true cannot be destructive",
            "set readOnlyHint or destructiveHint to false",
        )


def contradicting_examples(tool: ProgramTool) -> Iterator[Diagnostic]:
    """contradicting-examples: two examples have the same input and different results.

    Example:

        examples:
          - {name: seven, input: {id: 7}, output: {found: true}}
          - {name: also seven, input: {id: 7}, output: {found: false}}

    Use instead:

        examples:
          - {name: seven, input: {id: 7}, output: {found: true}}
          - {name: eight, input: {id: 8}, output: {found: false}}
    """
    first: dict[object, int] = {}
    for index, example in enumerate(tool.spec.examples):
        # an example without a result cannot contradict another
        if example.error is None and "output" not in example.model_fields_set:
            continue
        earlier = first.setdefault(value_key(example.input), index)
        other = tool.spec.examples[earlier]
        if other.error != example.error or not same_value(other.output, example.output):
            yield Diagnostic(
                tool.source.value(("examples", index, "input")),
                "contradicting-examples",
                "an earlier example has the same input and another result",
                "change one of the inputs, or remove an example; a mock answers by the first one",
                (Note(tool.source.value(("examples", earlier, "input")), "the earlier example"),),
            )


_MOST: Final = 64  # characters of the name of a function: OpenAI, and Anthropic's API until 2025


def long_client_name(tool: ProgramTool, server: str | None = None) -> Iterator[Diagnostic]:
    """long-client-name: a name that is too long with the prefix that a client gives it.

    Example:

        name: list_orders_of_one_customer_that_were_delivered_last_month

    Use instead:

        name: list_delivered_orders
    """
    # a server whose name the project does not say has one character at least
    prefix = f"mcp__{server or 'x'}__"
    length = len(prefix) + len(tool.spec.name)
    if length > _MOST:
        yield Diagnostic(
            tool.source.value(("name",)),
            "long-client-name",
            f"with the prefix `{prefix}` of clients the name has {length} characters; {_MOST} are safe",
            f"shorten it to {_MOST - len(prefix)} characters",
        )


def misplaced_annotation(tool: ProgramTool) -> Iterator[Diagnostic]:
    """misplaced-annotation: a key of `annotations` is a field of the tool.

    Example:

        annotations: {description: Read an order.}

    Use instead:

        description: Read an order.
    """
    hints = tool.spec.annotations
    for key in (hints and hints.model_extra) or ():
        if key in Spec.model_fields:
            yield Diagnostic(
                tool.source.key(("annotations", key)),
                "misplaced-annotation",
                f"{quoted(key)} is a field of the tool, and no annotation of MCP",
                "move it out of `annotations`, to the top of the spec",
            )


def secret_in_example(tool: ProgramTool) -> Iterator[Diagnostic]:
    """secret-in-example: a text in an example that looks like a real key or password.

    Example:

        examples:
          - {name: sent, input: {order_id: 1, note: "Bearer 0123456789abcdef"}}

    Use instead:

        examples:
          - {name: sent, input: {order_id: 1, note: "Bearer <token>"}}
    """
    for index, example in enumerate(tool.spec.examples):
        for field in ("input", "output"):
            if any(secret_texts(getattr(example, field))):
                yield Diagnostic(
                    tool.source.value(("examples", index, field)),
                    "secret-in-example",
                    "this looks like a real secret, and models and clients are sent it",
                    "write a value that nobody takes for one, and revoke the secret if it was real",
                )


def title_missing(tool: ProgramTool) -> Iterator[Diagnostic]:
    """title-missing: a tool without a title for people.

    Example:

        annotations: {readOnlyHint: true}

    Use instead:

        title: Find orders
        annotations: {readOnlyHint: true}
    """
    hints = tool.spec.annotations
    if tool.spec.title is None and (hints is None or hints.title is None):
        yield Diagnostic(
            tool.source.key(("name",)),
            "title-missing",
            "this tool has no title",
            "add `title`, a name for people; `toolgen lint --fix` makes one from the name",
        )


def unbounded_result(tool: ProgramTool) -> Iterator[Diagnostic]:
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
    schema, spec = tool.output_schema, tool.spec
    if not isinstance(schema, Mapping) or spec.page or spec.max_result_bytes is not None:
        return
    arguments = tool.input_schema.get("properties", {}).values()
    if any(map(_limits, arguments)) or (_changes(tool) and any(map(_lists, arguments))):
        return
    for name, node in schema.get("properties", {}).items():
        # scalars are short: hundreds of them fit
        items = node.get("items") if _lists(node) else None
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


def _lists(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "array"


def _is_scalar(items: Mapping[str, object]) -> bool:
    return items.get("type") in ("string", "integer", "number", "boolean") or "enum" in items
