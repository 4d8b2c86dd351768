"""Check examples: they are valid for both schemas, and their errors are declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema_rs import ValidationErrorKind

from toolgen.base.suggestions import did_you_mean, quoted, shortened
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.schema.document import JsonPath


def check_examples(data: Mapping[str, Any], validators: Mapping[str, CompiledSchema]) -> Iterator[SpecFault]:
    """Yield the faults of every example of a spec; `validators` holds its schemas by their names in it."""
    request, response = validators.get("input_schema"), validators.get("output_schema")
    chunk = validators.get("chunk_schema")
    declared = [error["code"] for error in data.get("errors", ())]
    for index, example in enumerate(data.get("examples", ())):
        path: JsonPath = ("examples", index)
        yield from _avoided(path, example)
        if request is not None:
            yield from _violations((*path, "input"), example["input"], request, "input_schema")
        if "error" in example:
            yield from _error(declared, path, example)
        output = example.get("output")
        if "output" not in example:
            continue
        if response is not None:
            yield from _violations((*path, "output"), output, response, "output_schema")
        elif chunk is not None and isinstance(output, list):
            for number, item in enumerate(output):
                yield from _violations((*path, "output", number), item, chunk, "chunk_schema")


def _avoided(path: JsonPath, example: Mapping[str, Any]) -> Iterator[SpecFault]:
    if example.get("not") and "ask" not in example:
        message = "the field 'ask' is missing: `not` has the tools that must not be called for it"
        yield SpecFault((*path, "not"), "missing-field", message, "write what a user would say", of_key=True)


def _error(declared: Sequence[str], path: JsonPath, example: Mapping[str, Any]) -> Iterator[SpecFault]:
    code, where = example["error"], (*path, "error")
    if code not in declared:
        message = f"the example ends in {quoted(code)}, which the tool does not declare"
        hint = did_you_mean(code, declared) or "declare it under `errors`"
        yield SpecFault(where, "undeclared-error", message, hint)
    if "output" in example:
        message = "the example has an output and an error"
        yield SpecFault(where, "output-and-error", message, "remove one of them")


def _violations(path: JsonPath, value: Any, validator: CompiledSchema, schema: str) -> Iterator[SpecFault]:
    if validator.is_valid(value):
        return
    # To say why takes far longer than to refuse, and an example must not hold up the whole run.
    if not validator.explains(value):
        message = f"the example does not match {schema}"
        yield SpecFault(path, "example-misfit", message, "change the example, or the schema")
        return
    reported: set[str] = set()
    for error in validator.errors(value):
        where = (*path, *error.instance_path)
        kind: Any = error.kind
        is_key = isinstance(kind, ValidationErrorKind.AdditionalProperties) and bool(kind.unexpected)
        if is_key:
            where = (*where, kind.unexpected[0])
        message = f"the example does not match {schema}: {shortened(error.message)}"
        if message not in reported:
            reported.add(message)
            hint = "change the example, or the schema"
            yield SpecFault(where, "example-misfit", message, hint, of_key=is_key)
