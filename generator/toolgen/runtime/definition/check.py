"""Check what a spec says, in YAML or in a definition that is written in Python: those of `ToolSpec`, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.text import either, nearest, show_path
from toolgen.schema.document import MAX_VALUE_DEPTH, JsonPath, SchemaDocument, locate
from toolgen.schema.keywords import KEYWORDS
from toolgen.suggestions import quoted

from .faults import SpecFault, describe_error, unknown_field
from .field_hints import looks_like_schema, required_hint
from .rules import misspelt_hints, only_if_faults, rule_faults
from .spec_schema import DEFINITIONS, FIELDS, TARGETS

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

    from toolgen.runtime.validation.compiled_schema import CompiledSchema

TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
_UNTYPED: Final = frozenset(("meta", "input", "output", "input_schema", "output_schema", "chunk_schema"))
"""Fields that hold any JSON, null included."""
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
    faults = [*_empty_fields(data), *_unknown_targets(data, own_targets or {}), *misspelt_hints(data)]
    reported = {fault.path for fault in faults}
    shape = _shape_faults(data)
    faults += [each for each in shape if reported.isdisjoint((each.path, each.path[:2]))]
    if not faults:
        faults.extend(rule_faults(data))
    faults.extend(_root_faults(data))
    return faults


def is_valid_field(name: str, value: Any) -> bool:
    """True if a spec may have the value in the field `name`."""
    from toolgen.runtime.validation.json_value import is_json

    return is_json(value) and not any(fault.path[:1] == (name,) for fault in spec_faults({name: value}))


def _empty_fields(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault for each field without a value: `confirm:` must not mean a tool without confirmation."""
    for name, value in data.items():
        if name.startswith("x-"):
            continue
        if value is None and name in FIELDS:
            yield _no_value((name,))
        elif name not in _UNTYPED:
            yield from _empty_below((name,), value)


def _empty_below(path: JsonPath, value: Any) -> Iterator[SpecFault]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None and not (key == "output" and path[0] == "examples"):
                yield _no_value((*path, key))
            elif key not in _UNTYPED:
                yield from _empty_below((*path, key), inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _empty_below((*path, index), inner)


def _no_value(path: JsonPath) -> SpecFault:
    message = f"the field {str(path[-1])!r} has no value"
    is_required = path in (("name",), ("description",), ("input_schema",))
    hint = required_hint(path) if is_required else "give it a value, or leave the field out"
    return SpecFault(path, "empty-field", message, hint, of_key=True)


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
    from toolgen.runtime.validation.json_path import path_of_error

    for error in _flat(_validator().iter_errors(data)):
        part: Any = {"definitions": DEFINITIONS}
        for step in error.schema_path[:-1]:
            part = part[step]
        yield from describe_error(error, path_of_error(data, error), part)


def _flat(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    """Yield errors with that of `content` replaced by those of the branch for its kind of value."""
    for error in errors:
        kind: Any = error.kind
        if error.schema_path[-1] == "oneOf":
            yield from kind.context[isinstance(error.instance, str)]
        else:
            yield error


@cache
def _validator() -> Validator:
    import jsonschema_rs

    keywords: dict[str, Any] = {"exact": _Exact}
    return jsonschema_rs.validator_for(
        {"$ref": "#/definitions/Tool", "definitions": _exact(DEFINITIONS), **_DRAFT},
        keywords=keywords,
        validate_formats=True,
        offline=True,
    )


_DRAFT: Final = {"$schema": "http://json-schema.org/draft-07/schema#"}


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


# Definitions in Python


def definition_faults(definition: object) -> list[str]:
    """Return the faults of a definition that was written in Python, one sentence each."""
    if not isinstance(definition, Mapping):
        return [f"a definition is a mapping, not {type(definition).__name__}"]
    from toolgen.runtime.validation.json_value import find_non_json

    plain = _plain({key: value for key, value in definition.items() if not str(key).startswith("x-")})
    if not_json := list(find_non_json(plain)):
        return [_at(path, f"expected JSON, got {found}") for path, found in not_json]
    own = [(key, plain.pop(key)) for key in _GENERATED if key in plain]
    sentences = [f"{key}: expected a name" for key, name in own if not (isinstance(name, str) and name)]
    faults = [unknown_field((key,), FIELDS, plain) for key in _OF_FILES if key in plain] + spec_faults(plain)
    sentences += [_sentence(each) for each in faults]
    for path in (("input_schema",), ("output_schema",), ("stream", "chunk_schema")):
        schema = locate(plain, path)
        if schema is not None and isinstance(schema.value, dict):
            sentences += [f"{_shown(path)}{fault}" for fault in _schema_faults(schema.value)]
    if not sentences:
        faults = list(only_if_faults(plain, SchemaDocument(plain["input_schema"])))
        sentences = [_sentence(each) for each in faults]
    return sentences or list(_example_faults(plain))


def _plain(value: Any, depth: int = MAX_VALUE_DEPTH + 1) -> Any:
    """Return a value with its mappings, sequences and texts as those of JSON."""
    if isinstance(value, str):
        return str.__str__(value)  # of an enumeration
    if depth == 0 or isinstance(value, bytes | bytearray | memoryview):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(inner, depth - 1) for key, inner in value.items()}
    return [_plain(item, depth - 1) for item in value] if isinstance(value, Sequence) else value


def _sentence(fault: SpecFault) -> str:
    return _at(fault.path, fault.message + (f"; {fault.hint}" if fault.hint else ""))


def _at(path: JsonPath, message: str) -> str:
    return f"{_shown(path)}: {message}" if len(path) > 1 else message


def _shown(path: JsonPath) -> str:
    return show_path(path).removeprefix("$.")


def _schema_faults(schema: Mapping[str, Any]) -> Iterator[str]:
    try:
        _compiled(schema)
    except (ValueError, TypeError, RecursionError) as error:
        path = tuple(getattr(error, "instance_path", ()))
        place = f" at {show_path(path)}" if path else ""
        found = locate(schema, path)
        if path[-1:] == ("type",) and found is not None and isinstance(found.value, str):
            yield place + next((f": {fault}" for fault in type_faults(found.value)), ": unknown type")
        else:
            yield f"{place} is not a valid JSON Schema: {_first_line(error)}"


def _compiled(schema: Mapping[str, Any]) -> CompiledSchema:
    from toolgen.runtime.validation.compiled_schema import compile_schema

    return compile_schema(schema)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _example_faults(definition: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of examples that break the tool's own schemas."""
    for number, example in enumerate(definition.get("examples", ())):
        for key, field_name in (("input", "input_schema"), ("output", "output_schema")):
            schema = definition.get(field_name)
            if key in example and schema is not None and not _compiled(schema).accepts(example[key]):
                yield f"examples[{number}].{key} does not satisfy {field_name}"


def type_faults(json_type: Any) -> Iterator[str]:
    """Yield a fault if `json_type` is not a type of JSON Schema."""
    if json_type not in TYPES:
        near = nearest(json_type, TYPES) if isinstance(json_type, str) else None
        remedy = f"did you mean {near!r}?" if near else f"use {either(TYPES)}"
        yield f"unknown type {json_type!r}; {remedy}"
