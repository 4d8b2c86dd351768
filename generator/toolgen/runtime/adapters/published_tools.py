"""Tools as targets publish them: their names and schemas, and how requests of a provider describe them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.runtime.definition.tool_definition import ToolDefinition, ToolDefinitions
from toolgen.schema.dialects.publish import publish, publish_output
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import JsonObject, Schema, SchemaDocument
from toolgen.schema.providers import PROVIDERS


@dataclass(frozen=True, slots=True)
class ProviderTool:
    """A tool as a provider is asked to show it to the model."""

    name: str  # the published name
    title: str  # for people
    description: str
    input_schema: Schema  # in the provider's dialect, as is output_schema
    strict: bool
    output_schema: Schema | None  # None: it is not published
    has_content: bool  # results may hold blocks, such as images, beside the JSON value
    input_examples: Sequence[JsonObject]  # arguments as the model would write them
    is_deferred: bool  # the model finds the tool by search
    group: str | None
    options: Mapping[str, Any]  # `targets.<target>` of the spec

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return those of the options `names` that the author has set."""
        return {name: self.options[name] for name in names if name in self.options}


def provider_tools(definitions: Mapping[str, ToolDefinition], target: str) -> list[ProviderTool]:
    """Return the tools as `target` publishes them. Raises ValueError if two have the same published name."""
    wire_names(definitions, target)
    is_checked = isinstance(definitions, ToolDefinitions)  # `generate` has validated the examples
    return [_converted(definition, target, is_checked) for definition in definitions.values()]


def _converted(definition: ToolDefinition, target: str, is_checked: bool) -> ProviderTool:
    schema = published(definition, target)
    examples = input_examples(
        definition.get("examples", ()),
        schema,
        PROVIDERS[target].input_examples,
        valid_for=definition["input_schema"] if is_checked else None,
    )
    output: Published | None = None
    if "output_schema" in definition and options(definition, target).get("output_schema", True):
        output = publish_output(target, SchemaDocument(definition["output_schema"]))
    output_schema = None if output is None else output.schema
    return provider_tool(definition, target, schema, output=output_schema, examples=examples.arguments)


def provider_tool(
    definition: ToolDefinition,
    target: str,
    schema: Published,
    *,
    output: Schema | None,
    examples: Sequence[JsonObject],
) -> ProviderTool:
    """Return the tool with these schemas, of the definition all else."""
    chosen = options(definition, target)
    return ProviderTool(
        name=published_name(definition, target),
        title=definition.get("title", ""),
        description=definition["description"],
        input_schema=schema.schema,
        strict=schema.strict,
        output_schema=output,
        has_content="content" in definition,
        input_examples=examples if chosen.get("input_examples", True) else (),
        is_deferred=definition.get("load") == "deferred",
        group=definition.get("group"),
        options=chosen,
    )


@dataclass(frozen=True, slots=True)
class InputExamples:
    """The arguments to publish, and the positions of the examples that the published schema refuses."""

    arguments: tuple[JsonObject, ...] = ()
    refused: tuple[int, ...] = ()


def input_examples(
    examples: Sequence[Mapping[str, Any]], published: Published, limit: int, *, valid_for: Schema | None
) -> InputExamples:
    """Return the arguments of the first `limit` examples, with the property names that are published.

    Examples that end in an error are left out, and those without arguments: Anthropic's API fails with status
    500 on them (github.com/anthropics/anthropic-sdk-python/issues/1288; 2026-03). `valid_for` is a schema by
    which the examples are known to be valid; None if none is.
    """
    accepts = None
    if examples and limit and published.schema is not valid_for:
        from toolgen.runtime.validation.compiled_schema import compile_schema  # few tools need it

        accepts = compile_schema(published.schema).accepts
    found: list[JsonObject] = []
    refused: list[int] = []
    for position, example in enumerate(examples):
        written = example.get("input")
        if len(found) == limit or "error" in example or not written or not isinstance(written, Mapping):
            continue
        arguments = {published.renames.get(name, name): value for name, value in written.items()}
        if accepts is None or accepts(arguments):
            found.append(arguments)
        else:
            refused.append(position)
    return InputExamples(tuple(found), tuple(refused))


def options(definition: ToolDefinition, target: str) -> Mapping[str, Any]:
    """Return the options of the spec for one target."""
    found: Mapping[str, Any] = definition.get("targets", {}).get(target, {})
    return found


def published_name(definition: ToolDefinition, target: str) -> str:
    """Return the name in the spec for this target, by default the tool's own name."""
    name: str = options(definition, target).get("name") or definition["name"]
    return name


def published(definition: ToolDefinition, target: str) -> Published:
    """Return the input schema in the dialect of `target`."""
    return publish(
        target, SchemaDocument(definition["input_schema"]), options(definition, target).get("strict")
    )


def wire_names(definitions: Mapping[str, ToolDefinition], target: str) -> dict[str, str]:
    """Return published name → wire name. Raises ValueError if two tools have the same published name."""
    names: dict[str, str] = {}
    for wire_name, definition in definitions.items():
        name = published_name(definition, target)
        other = names.setdefault(name, wire_name)
        if other != wire_name:
            raise ValueError(f"{other} and {wire_name} are both published as {name!r}")
    return names
