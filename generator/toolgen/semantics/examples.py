"""Check examples: they are valid for both schemas, and their errors are declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema_rs import ValidationErrorKind

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.spec import Example
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.complexity import Effort
from toolgen.schema.document import JsonPath
from toolgen.suggestions import did_you_mean, quoted, shortened


def check_examples(
    tool: ProgramTool, validators: Mapping[str, CompiledSchema | None]
) -> Iterator[Diagnostic]:
    """Yield the faults of every example; `validators` holds the tool's schemas by their names in the spec."""
    request, response = validators["input_schema"], validators.get("output_schema")
    chunk = validators.get("chunk_schema")
    for index, example in enumerate(tool.spec.examples):
        path: JsonPath = ("examples", index)
        yield from _avoided(tool, path, example)
        if request is not None:
            yield from _violations(tool, (*path, "input"), example.input, request, "input_schema")
        has_output = "output" in example.model_fields_set
        if example.error is not None:
            yield from _error(tool, path, example, has_output)
        if not has_output:
            continue
        if response is not None:
            yield from _violations(tool, (*path, "output"), example.output, response, "output_schema")
        elif chunk is not None and isinstance(example.output, list):
            for number, item in enumerate(example.output):
                yield from _violations(tool, (*path, "output", number), item, chunk, "chunk_schema")


def _avoided(tool: ProgramTool, path: JsonPath, example: Example) -> Iterator[Diagnostic]:
    if example.not_ and example.ask is None:
        message = "the field 'ask' is missing: `not` has the tools that must not be called for it"
        yield Diagnostic(
            tool.source.key((*path, "not")), "missing-field", message, "write what a user would say"
        )
    for number, name in enumerate(example.not_):
        where = tool.source.value((*path, "not", number))
        if name == tool.spec.name:
            message = "the example is a call of this tool, so `not` cannot name it"
            yield Diagnostic(where, "bad-value", message, "name other tools")
        elif name in example.not_[:number]:
            yield Diagnostic(where, "duplicate-name", f"the tool {name!r} is used twice", "remove one")


def _error(tool: ProgramTool, path: JsonPath, example: Example, has_output: bool) -> Iterator[Diagnostic]:
    declared = [error.code for error in tool.spec.errors]
    where = (*path, "error")
    if example.error not in declared:
        yield Diagnostic(
            tool.source.value(where),
            "undeclared-error",
            f"the example ends in {quoted(str(example.error))}, which the tool does not declare",
            did_you_mean(str(example.error), declared) or "declare it under `errors`",
        )
    if has_output:
        message = "the example has an output and an error"
        yield Diagnostic(tool.source.value(where), "output-and-error", message, "remove one of them")


def _violations(
    tool: ProgramTool, path: JsonPath, value: Any, validator: CompiledSchema, schema: str
) -> Iterator[Diagnostic]:
    if validator.is_valid(value):
        return
    # To say why takes far longer than to refuse, and an example must not hold up the whole run.
    if not Effort(validator.document).explains(value):
        message = f"the example does not match {schema}"
        yield Diagnostic(
            tool.source.value(path), "example-misfit", message, "change the example, or the schema"
        )
        return
    reported: set[str] = set()
    for error in validator.errors(value):
        where = (*path, *error.instance_path)
        span = tool.source.value(where)
        if isinstance(error.kind, ValidationErrorKind.AdditionalProperties) and error.kind.unexpected:
            span = tool.source.key((*where, error.kind.unexpected[0]))
        message = f"the example does not match {schema}: {shortened(error.message)}"
        if message not in reported:
            reported.add(message)
            yield Diagnostic(span, "example-misfit", message, "change the example, or the schema")
