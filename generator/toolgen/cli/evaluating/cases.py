"""The calls that a provider's model should make, by the examples that say what a user would ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from toolgen.data.package import Tool
from toolgen.data.program import ProgramTool
from toolgen.data.source import Span
from toolgen.runtime.adapters.naming import published
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.schema.document import JsonObject
from toolgen.testing.inputs.requests import with_defaults
from toolgen.testing.tool_under_test import tool_under_test


@dataclass(frozen=True, slots=True)
class EvalCase:
    """An example with `ask`, with the names that the provider's model sees."""

    title: str  # the tool's name and the example's
    ask: str
    tool: str
    arguments: JsonObject
    defaults: JsonObject  # of parameters that the example leaves out, and that a model may write out
    avoided: tuple[str, ...]  # tools that must not be called
    place: Span  # of `ask`


def eval_cases(tools: Sequence[ProgramTool], lowered: Sequence[Tool], target: str) -> Iterator[EvalCase]:
    """Yield a case for each example with `ask`, in the order of the tools.

    `lowered` are the same tools, whose definitions the provider is given.
    """
    names = {tool.spec.name: tool.published[target].name for tool in tools}
    for tool, entry in zip(tools, lowered, strict=True):
        if any(example.ask is not None for example in tool.spec.examples):
            renames = published(cast("ToolDefinition", entry.definition), target).renames
            yield from _of_tool(tool, names, renames)


def _of_tool(tool: ProgramTool, names: Mapping[str, str], renames: Mapping[str, str]) -> Iterator[EvalCase]:
    tested = tool_under_test(tool)
    for example, expected in zip(tool.spec.examples, tested.examples, strict=True):
        if example.ask is None:
            continue
        complete = with_defaults(tested, expected) or example.input
        defaults = {name: value for name, value in complete.items() if name not in example.input}
        yield EvalCase(
            title=f"{tool.spec.name}: {example.name}",
            ask=example.ask,
            tool=names[tool.spec.name],
            arguments=_renamed(example.input, renames),
            defaults=_renamed(defaults, renames),
            avoided=tuple(names[name] for name in example.not_ if name in names),
            place=tool.source.value(("examples", expected.index, "ask")),
        )


def _renamed(arguments: JsonObject, renames: Mapping[str, str]) -> JsonObject:
    return {renames.get(name, name): value for name, value in arguments.items()}
