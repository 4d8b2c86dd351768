"""Sources to specs: every field typed, every schema checked by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toolgen.compile.reading.field_errors import FOREIGN_NAMES, FieldError, explain, unknown_field
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.program import Parsed
from toolgen.data.source import Source, Span
from toolgen.data.spec import SCHEMA_FIELDS, Spec, is_shared_file, schemas_of
from toolgen.data.target import Target
from toolgen.schema.document import JsonPath
from toolgen.semantics.content import check_content
from toolgen.semantics.json_schema import check_root, check_schema
from toolgen.semantics.names import check_names
from toolgen.semantics.target_options import check_target_options
from toolgen.suggestions import did_you_mean
from toolgen.targets.builtin import BUILT_IN
from toolgen.targets.definition import OwnTargetOptions, TargetDefinition

FIELDS = tuple(name for name in Spec.model_fields if name != "extensions")
_UNTYPED = frozenset(("meta", "input", "output", *(path[-1] for path in SCHEMA_FIELDS)))


def parse(sources: tuple[Source, ...], targets: Sequence[Target] = ()) -> Parsed:
    """Parse every file: a tool, or a file of schemas that tools share.

    A spec may have options of the built-in targets and of
    `targets`. Raises `SpecErrors` with the faults of all files.
    """
    known = {**BUILT_IN, **{target.name: target.definition for target in targets if target.tool_name}}
    tools: list[tuple[Spec, Source]] = []
    shared: dict[str, Source] = {}
    faults: list[Diagnostic] = []
    for source in sources:
        if not isinstance(source.data, dict):
            faults.append(
                Diagnostic(
                    source.value(),
                    "not-a-tool",
                    "a spec is a mapping with `name`, `description` and `input_schema`",
                    "write one tool per file; `toolgen new` writes a first one",
                )
            )
        elif is_shared_file(source.data):
            shared[source.path] = source
            faults.extend(_shared_faults(source, source.data))
        else:
            spec = _spec(source, source.data, known, faults)
            if spec is not None:
                tools.append((spec, source))
    if faults:
        raise SpecErrors(faults)
    return Parsed(tuple(tools), shared)


def _spec(
    source: Source,
    data: Mapping[str, Any],
    targets: Mapping[str, TargetDefinition],
    faults: list[Diagnostic],
) -> Spec | None:
    known: dict[str, Any] = {}
    extensions: dict[str, Any] = {}
    for key, value in data.items():
        (extensions if key.startswith("x-") else known)[key] = value
    if "extensions" in known:
        faults.append(_at(source.key(("extensions",)), unknown_field("extensions", FIELDS, top_level=True)))
    known["extensions"] = extensions
    empty = list(_empty_fields(data))
    faults.extend(_empty(source, path) for path in empty)
    reported = set(empty)
    for found in _unknown_options(data, targets):
        if found not in reported:
            neighbours = targets[found[1]].options.model_fields if len(found) == 3 else targets
            faults.append(_at(source.key(found), unknown_field(found[-1], neighbours)))
            reported.add(found)
    for schema_path, schema in schemas_of(data):
        if isinstance(schema, dict):
            faults.extend(check_schema(source, schema_path, schema))
            if schema_path == ("input_schema",):
                faults.extend(check_root(source, schema_path, schema))
    try:
        spec = Spec.model_validate(known)
    except ValidationError as error:
        faults.extend(_shape_faults(source, data, error, reported))
        return None
    faults.extend(check_names(spec, source))
    faults.extend(check_content(spec, source))
    faults.extend(check_target_options(spec, source))
    return spec


def _unknown_options(
    data: Mapping[str, Any], targets: Mapping[str, TargetDefinition]
) -> Iterator[tuple[str, ...]]:
    """Yield the paths of options of targets that do not exist, or do not have them.

    Fields of built-in targets are left to pydantic.
    """
    written = data.get("targets")
    for name, options in written.items() if isinstance(written, dict) else ():
        if name not in targets:
            yield ("targets", name)
        elif name not in BUILT_IN and isinstance(options, dict):
            yield from (
                ("targets", name, key) for key in sorted(options.keys() - targets[name].options.model_fields)
            )


def _empty(source: Source, path: JsonPath) -> Diagnostic:
    message = f"the field {str(path[-1])!r} has no value"
    return Diagnostic(source.key(path), "empty-field", message, "give it one, or leave the field out")


def _shape_faults(
    source: Source, data: Mapping[str, Any], error: ValidationError, reported: set[JsonPath]
) -> Iterator[Diagnostic]:
    for detail in error.errors(include_url=False):
        path = _written_path(data, detail)
        if path in reported or path[:2] in reported:
            continue
        if detail["type"] == "missing":
            foreign = FOREIGN_NAMES.get(str(detail["loc"][-1]), ())
            if len(detail["loc"]) == 1 and any(key in data for key in foreign):
                continue
            span = source.key(path) if path and isinstance(path[-1], str) else source.value(path)
            yield _at(span, explain(detail, ""))
        elif detail["type"] == "extra_forbidden":
            if path == ("extensions",):
                continue
            neighbours = FIELDS if len(path) == 1 else _fields_at(path[:-1])
            top_level = len(path) == 1
            yield _at(source.key(path), unknown_field(str(path[-1]), neighbours, top_level=top_level))
        else:
            span = source.value(path)
            line = source.text.split("\n")[span.line - 1]
            found = explain(detail, line[span.column - 1 : span.column - 1 + span.length])
            yield _at(span, replace(found, hint=found.hint or _choice_hint(detail)))
            reported.add(path)  # a union has an error for each of its members


def _at(span: Span, error: FieldError) -> Diagnostic:
    return Diagnostic(span, error.code, error.message, error.hint)


def _choice_hint(detail: ErrorDetails) -> str:
    if detail["type"] != "literal_error":
        return ""
    choices = detail["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
    return did_you_mean(str(detail["input"]), choices)


def _written_path(data: Any, detail: ErrorDetails) -> JsonPath:
    """Return pydantic's location as far as it is in the file: it has the tags of unions, too."""
    path: list[str | int] = []
    for part in detail["loc"]:
        try:
            data = data[part]
        except (LookupError, TypeError):
            if isinstance(data, list) and isinstance(part, str):
                continue  # a tag: items have numbers
            break
        path.append(part)
    return tuple(path)


def _fields_at(path: JsonPath) -> tuple[str, ...]:
    """Return the fields that the language has at `path`."""
    model: type[BaseModel] = Spec
    for part in path:
        if isinstance(part, str):
            field = model.model_fields.get(part)  # no field: a target of the project's own
            model = OwnTargetOptions if field is None else _model_in(field.annotation)
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _model_in(annotation: Any) -> type[BaseModel]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        if inner is not type(None):
            return _model_in(inner)
    raise LookupError(annotation)


def _empty_fields(data: Mapping[str, Any]) -> Iterator[JsonPath]:
    """Yield the paths of fields without a value: `confirm:` must not mean a tool without confirmation."""
    for name, value in data.items():
        if name.startswith("x-"):
            continue
        if value is None and name in Spec.model_fields:
            yield (name,)
        elif name not in _UNTYPED:
            yield from _empty_below((name,), value)


def _empty_below(path: JsonPath, value: Any) -> Iterator[JsonPath]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None and not (key == "output" and path[0] == "examples"):
                yield (*path, key)
            elif key not in _UNTYPED:
                yield from _empty_below((*path, key), inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _empty_below((*path, index), inner)


def _shared_faults(source: Source, data: Mapping[str, Any]) -> Iterator[Diagnostic]:
    definitions = data.get("$defs")
    if not isinstance(definitions, dict) or not definitions:
        where = source.key(("$defs",)) if "$defs" in data else source.value()
        yield Diagnostic(
            where,
            "not-a-tool",
            "a file of shared schemas has them under `$defs`, and there are none",
            "write `$defs:` with a mapping of schemas; a tool has `name`, `description` and `input_schema`",
        )
        return
    draft = {"$schema": data["$schema"]} if "$schema" in data else {}
    for name, schema in definitions.items():
        if isinstance(schema, bool):
            continue
        if not isinstance(schema, dict):
            yield Diagnostic(
                source.value(("$defs", name)),
                "invalid-schema",
                f"{name!r} is not a schema",
                "write a mapping",
            )
            continue
        yield from check_schema(source, ("$defs", name), schema, draft)
