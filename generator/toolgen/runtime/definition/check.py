"""Check what a spec says, in YAML or in a definition that is written in Python: those of `ToolSpec`, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind

from toolgen.base.suggestions import did_you_mean, quoted, shortened
from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_graph
from toolgen.runtime.validation.json_value import find_non_json, is_json, path_of_error
from toolgen.schema.budget import find_entangled
from toolgen.schema.document import MAX_VALUE_DEPTH, JsonPath, SchemaDocument
from toolgen.schema.graph import Graph
from toolgen.schema.keywords import KEYWORDS

from .faults import SpecFault, describe_error, unknown_field
from .rules import misspelt_hints, rule_faults
from .semantics.json_schema import check_schema, too_complex
from .semantics.pointers import check_only_if, check_page, check_placeholders
from .semantics.references import find_dangling, find_loops
from .spec_schema import DEFINITIONS, SPEC_SCHEMA, TARGETS, schemas_of
from .unknown_fields import looks_like_schema

_OF_FILES: Final = ("toolgen", "enabled")
"""Fields that say something about a file in YAML, and nothing about a tool."""
_GENERATED: Final = ("py_name", "class_name")


class ToolSpecError(ValueError):
    """A tool definition that is not valid. `faults` has one sentence for each fault."""

    def __init__(self, subject: str, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        lines = "".join(f"\n- {fault}" for fault in self.faults)
        super().__init__(f"{subject} is not valid:{lines}")


# Specs


def spec_faults(
    data: Mapping[str, Any], own_targets: Mapping[str, Sequence[str]] | None = None
) -> list[SpecFault]:
    """Return the faults of a tool's spec, which is JSON. What is inside of its schemas is not checked.

    `own_targets` has the names of the options that each of the project's own targets has.
    """
    faults = [*_unknown_targets(data, own_targets or {}), *misspelt_hints(data)]
    reported = {fault.path for fault in faults}
    shape = _shape_faults(data)
    faults += [each for each in dict.fromkeys(shape) if reported.isdisjoint((each.path, each.path[:2]))]
    if not faults:
        faults.extend(rule_faults(data))
    faults.extend(_root_faults(data))
    return faults


def is_valid_field(name: str, value: Any) -> bool:
    """True if a spec may have the value in the field `name`."""

    return is_json(value) and not any(fault.path[:1] == (name,) for fault in spec_faults({name: value}))


def _unknown_targets(data: Mapping[str, Any], own: Mapping[str, Sequence[str]]) -> Iterator[SpecFault]:
    """Yield a fault for each target that does not exist, and for each option that an own target lacks."""
    targets = data.get("targets")
    written = targets if isinstance(targets, dict) else {}
    for name, options in written.items():
        if name not in TARGETS and name not in own:
            yield unknown_field(("targets", name), (*TARGETS, *own), written)
        elif name in own and isinstance(options, dict):
            unknown = sorted(options.keys() - own[name])
            yield from (unknown_field(("targets", name, key), own[name], options) for key in unknown)


def _root_faults(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault if the root of the input is not an object, as MCP requires of every input."""
    schema = data.get("input_schema")
    if isinstance(schema, dict) and schema.get("type") != "object":
        path: JsonPath = ("input_schema", "type") if "type" in schema else ("input_schema",)
        if schema and KEYWORDS.isdisjoint(schema) and all(map(looks_like_schema, schema.values())):
            names = ", ".join(map(quoted, list(schema)[:3]))
            message = f"{names}: properties, where the keywords of a schema belong"
            hint = "put them below `properties`, beside `type: object`"
            yield SpecFault(
                ("input_schema", next(iter(schema))), "root-not-object", message, hint, of_key=True
            )
            return
        message = f"the root of {path[0]} must be `type: object`"
        hint = "write `type: object` at the root of the schema"
        yield SpecFault(path, "root-not-object", message, hint, of_key="type" not in schema)


def _shape_faults(data: Mapping[str, Any]) -> Iterator[SpecFault]:

    for error in _flat(_validator().iter_errors(data)):
        part: Any = {"definitions": DEFINITIONS}
        for step in error.schema_path[:-1]:
            part = part[step]
        yield from describe_error(error, path_of_error(data, error), part)


def _flat(errors: Iterator[jsonschema_rs.ValidationError]) -> Iterator[jsonschema_rs.ValidationError]:
    """Yield errors with that of `content` replaced by those of the branch for its kind of value."""
    for error in errors:
        kind: Any = error.kind
        if error.schema_path[-1] == "oneOf":
            yield from kind.context[isinstance(error.instance, str)]
        else:
            yield error


@cache
def _validator() -> jsonschema_rs.Validator:
    keywords: dict[str, Any] = {"exact": _Exact}
    return jsonschema_rs.validator_for(
        _exact(SPEC_SCHEMA), keywords=keywords, validate_formats=True, offline=True
    )


def _exact(schema: Any) -> Any:
    """Return the schema with the keyword `exact` wherever it asks for an integer."""
    if isinstance(schema, Mapping):
        more = {"exact": "integer"} if schema.get("type") == "integer" else {}
        return {key: _exact(value) for key, value in schema.items()} | more
    return [_exact(item) for item in schema] if isinstance(schema, list) else schema


class _Exact:
    """A keyword that refuses 8.0: it is an integer of JSON Schema, and not one of YAML and Python."""

    def __init__(self, parent: Any, value: Any, path: Any) -> None:
        pass

    def validate(self, instance: Any) -> None:
        if isinstance(instance, float):
            raise ValueError


def semantic_faults(
    data: Mapping[str, Any],
    documents: Mapping[str, SchemaDocument],
    validators: Mapping[str, CompiledSchema],
) -> Iterator[SpecFault]:
    """Yield the faults that a spec has although its fields and its schemas are valid.

    Args:
        data: the spec, without a fault of `spec_faults`.
        documents: its schemas, by the names of their fields: "input_schema", "output_schema", "chunk_schema".
        validators: the same, compiled; they are needed if there are examples.
    """
    yield from check_examples(data, validators)
    yield from check_placeholders(data, documents["input_schema"])
    yield from check_page(data, documents)
    yield from check_only_if(data, documents["input_schema"])
    yield from _check_proof(data.get("confirm", {}))


def _check_proof(confirm: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield the faults of fields of `confirm` that contradict its `proof`."""
    if confirm.get("proof") == "person":
        if confirm.get("on_unsupported", "deny") != "deny":
            message = "a person's signature cannot be skipped, nor replaced by a token"
            hint = "remove `on_unsupported`: a client that cannot ask gets the address of the approval"
            yield SpecFault(("confirm", "on_unsupported"), "bad-proof", message, hint)
        return
    for field in sorted(confirm.keys() & {"approvers", "quorum"}):
        message = f"{field!r} is about people who sign, and nobody signs without `proof: person`"
        hint = f"add `proof: person`, or remove `{field}`"
        yield SpecFault(("confirm", field), "bad-proof", message, hint, of_key=True)


def not_compiled(path: JsonPath, error: Exception) -> SpecFault:
    """Return the fault of the schema at `path`, which the validator refuses with `error`."""
    message = f"the validator does not take this schema: {str(error).split(chr(10), 1)[0]}"
    hint = "a `$ref` below an `$id` is relative to it; check these first"
    return SpecFault(path, "invalid-schema", message, hint)


# Definitions in Python


def definition_faults(definition: object) -> list[str]:
    """Return the faults of a definition that was written in Python, one sentence each."""
    if not isinstance(definition, Mapping):
        return [f"a definition is a mapping, not {type(definition).__name__}"]

    plain = plain_data({key: value for key, value in definition.items() if not str(key).startswith("x-")})
    if not_json := list(find_non_json(plain)):
        return [_at(path, f"expected JSON, got {found}") for path, found in not_json]
    own = [(key, plain.pop(key)) for key in _GENERATED if key in plain]
    sentences = [f"{key}: expected a name" for key, name in own if not (isinstance(name, str) and name)]
    only_yaml = "remove it: it says something about a file in YAML"
    faults = [
        SpecFault((key,), "unknown-field", f"unknown field {key!r}", only_yaml)
        for key in _OF_FILES
        if key in plain
    ]
    faults += spec_faults(plain)
    schemas = {path: schema for path, schema in schemas_of(plain) if isinstance(schema, dict)}
    faults += [fault for path, schema in schemas.items() for fault in check_schema(schema, path)]
    if not sentences and not faults:
        faults = list(_later_faults(plain, schemas))
    return sentences + [in_words(each) for each in faults]


def _later_faults(data: Mapping[str, Any], schemas: Mapping[tuple[str, ...], Any]) -> Iterator[SpecFault]:
    """Yield the faults of references; without one, those of schemas; without one, those of the rest."""
    documents = {path: SchemaDocument(schema) for path, schema in schemas.items()}
    graphs = {path: Graph(document) for path, document in documents.items()}
    faults: list[SpecFault] = []
    for path, document in documents.items():
        found = list(find_dangling(document))
        found = found or [too_complex((), excess) for excess in find_entangled(graphs[path])]
        faults += [replace(each, path=(*path, *each.path)) for each in found or find_loops(document)]
    validators: dict[str, CompiledSchema] = {}
    for path, graph in graphs.items() if not faults else ():
        try:
            validators[path[-1]] = compile_graph(graph)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            faults.append(not_compiled(path, error))
    yield from faults
    if not faults:
        named = {path[-1]: document for path, document in documents.items()}
        yield from semantic_faults(data, named, validators)


def plain_data(value: Any, depth: int = MAX_VALUE_DEPTH + 1) -> Any:
    """Return a value with its mappings, sequences and texts as those of JSON."""
    if isinstance(value, str):
        return str.__str__(value)  # of an enumeration
    if depth == 0 or isinstance(value, bytes | bytearray | memoryview):
        return value
    if isinstance(value, Mapping):
        return {key: plain_data(inner, depth - 1) for key, inner in value.items()}
    return [plain_data(item, depth - 1) for item in value] if isinstance(value, Sequence) else value


def in_words(fault: SpecFault) -> str:
    """Return a fault as one sentence, which begins with its place."""
    return _at(fault.path, fault.message + (f"; {fault.hint}" if fault.hint else ""))


def _at(path: JsonPath, message: str) -> str:
    return f"{show_path(path).removeprefix('$.')}: {message}" if len(path) > 1 else message


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
