"""Tools as the requests of a provider describe them: what a definition says, in the provider's dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.runtime.adapters.naming import options, published, published_name, wire_names
from toolgen.runtime.definition.input_examples import input_examples
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.definition.tool_definitions import ToolDefinitions
from toolgen.schema.dialects.publish import publish_output, publishes_output
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
    return [_converted(definition, target) for definition in definitions.values()]


def generated_tools(definitions: Mapping[str, ToolDefinition], target: str) -> Iterator[ProviderTool]:
    """Yield every tool of a catalog as `target` publishes it; nothing is converted that was generated."""
    for wire_name, definition in definitions.items():
        if isinstance(definitions, ToolDefinitions):
            yield _generated(definitions, wire_name, target)
        else:  # a catalog that a user's own template printed
            yield _converted(definition, target)


def _converted(definition: ToolDefinition, target: str) -> ProviderTool:
    schema, written = published(definition, target), definition.get("output_schema")
    made = None if written is None else publish_output(target, SchemaDocument(written))
    output = None if made is None else made.schema
    examples = input_examples(
        definition.get("examples", ()), schema, PROVIDERS[target].input_examples, valid_for=None
    )
    return provider_tool(definition, target, schema, output=output, examples=examples.arguments)


def _generated(definitions: ToolDefinitions, wire_name: str, target: str) -> ProviderTool:
    definition, variant = definitions[wire_name], definitions.variant(wire_name, target)
    own = definition["input_schema"]
    schema = Published(variant.get("input_schema", own), variant.get("strict", False))
    output = variant.get("output_schema", definition.get("output_schema"))
    if output is not None and not publishes_output(target, SchemaDocument(output)):
        output = None
    examples = variant.get("input_examples")
    if examples is None:
        written, limit = definition.get("examples", ()), PROVIDERS[target].input_examples
        examples = input_examples(written, Published(own), limit, valid_for=own).arguments
    return provider_tool(definition, target, schema, output=output, examples=examples)


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
        output_schema=output if chosen.get("output_schema", True) else None,
        has_content="content" in definition,
        input_examples=examples if chosen.get("input_examples", True) else (),
        is_deferred=definition.get("load") == "deferred",
        group=definition.get("group"),
        options=chosen,
    )
