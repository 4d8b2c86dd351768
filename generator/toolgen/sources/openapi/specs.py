"""Import an OpenAPI document: one spec per operation, or one per tag with the operation as an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.language.names import snake
from toolgen.sources.examples import MAX_EXAMPLES, SourceExample, imported_examples
from toolgen.sources.imported_tool import ImportedTool, in_spec_order
from toolgen.sources.names import ExistingNames, choose_names
from toolgen.sources.openapi.document import LoadFile, Location, OpenApiDocument
from toolgen.sources.openapi.environment import EnvironmentVariables, stem_of
from toolgen.sources.openapi.examples import operation_examples
from toolgen.sources.openapi.operation_list import (
    Operation,
    filter_operations,
    list_operations,
    readable_names,
)
from toolgen.sources.openapi.parsed_operation import OperationParser, ParsedOperation

CARRIED = "x-openapi"
OWNED = (
    "title", "description", "returns", "tags", "annotations", "input_schema", "output_schema", "errors",
    "auth", "deprecated", CARRIED,
)  # fmt: skip
"""Spec fields that `--sync` takes from the source."""

_TIMEOUT = 60  # seconds
_MAX_TITLE = 120  # characters; a longer summary is a description
_NO_TAG = "other"
_MAX_EXAMPLES_OF_TAG = 20


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The user's choices for an import."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    most: int | None = None  # operations, the first ones in the document; None: all
    per: str = "operation"  # or "tag"
    prefix: str = "APP"  # of all environment variables
    stem: str = ""  # of the environment variables in specs of an earlier import, which a sync keeps
    allowed: Sequence[str] = ()  # credentials of other services that may be sent to this API


def find_operations(data: Any, name: str, load: LoadFile, options: ImportOptions) -> list[Operation]:
    """Return the operations of the parsed document `data` that the patterns of `options` select.

    Raises `SourceError` if the document or a pattern is not valid.
    """
    document = OpenApiDocument(name, data, load)
    return filter_operations(list_operations(document), options.include, options.exclude)


def keys_in_document(data: Any, name: str, load: LoadFile) -> frozenset[str]:
    """Return the keys of all tools that the document can become. Raises `SourceError`."""
    operations = list_operations(OpenApiDocument(name, data, load))
    tags = {(operation.tags or [_NO_TAG])[0] for operation in operations}
    return frozenset((*(operation.key for operation in operations), *map(_tool_name_of_tag, tags)))


def _tool_name_of_tag(tag: str) -> str:
    return snake(tag, "tool")[:64]


def import_openapi(
    data: Any,
    name: str,
    load: LoadFile,
    *,
    options: ImportOptions,
    existing: ExistingNames,
    on_progress: Callable[[int, int], None],
) -> list[ImportedTool]:
    """Return the tools of the parsed document `data`; messages call it `name`.

    Args:
        load: loads a file that the document refers to.
        on_progress: called with the number of parsed operations and the number of all.

    Raises:
        SourceError: the document or a pattern of `options` is not valid.
    """
    document = OpenApiDocument(name, data, load)
    every = list_operations(document)
    found = filter_operations(every, options.include, options.exclude)
    operations = found[: options.most]
    title = str(document.member(document.root, "info").get("title") or "")
    variables = EnvironmentVariables(options.stem or stem_of(options.prefix, title), options.allowed)
    number = count(1)
    parser = OperationParser(document, variables, lambda: on_progress(next(number), len(operations)))
    if options.per == "tag":
        tools = list(_tools_per_tag(parser, operations, existing))
    else:
        tools = list(_tools_per_operation(parser, operations, readable_names(operations, every), existing))
    notes = list(parser.repairs.messages())
    if len(found) > len(operations):
        notes.append(f"{len(found) - len(operations)} of {len(found)} operations were left out")
    if tools:  # these notes concern the document: they are shown once, before the first tool
        tools[0] = replace(tools[0], notes=(*notes, *tools[0].notes))
    return tools


def _tools_per_operation(
    parser: OperationParser, operations: Sequence[Operation], wanted: Sequence[str], existing: ExistingNames
) -> Iterator[ImportedTool]:
    names = choose_names(wanted, existing, [operation.key for operation in operations])
    taken = {*names, *existing.taken, *existing.in_place}
    for operation, name, readable in zip(operations, names, wanted, strict=True):
        parsed = parser.parse(operation)
        fields: dict[str, Any] = {"toolgen": 1, "name": name}
        notes: list[str] = []
        is_new = operation.key not in existing.imported
        if is_new and name != readable and "operationId" in operation.node.data:
            if operation.name not in taken:
                fields["aliases"] = [operation.name]
                taken.add(operation.name)
            notes.append(f"renamed from {quoted(operation.name, 256)}")
        _add_texts(fields, operation, notes)
        fields["annotations"] = parsed.annotations()
        request = parser.complete_schema(parsed.arguments.schema(), "request")
        fields["input_schema"] = request.schema
        notes += [*parsed.arguments.notes, *request.notes]
        if parsed.responses.schema is not None:
            response = parser.complete_schema(parsed.responses.schema, "response")
            fields["output_schema"] = response.schema
            notes += response.notes
        _add_examples(fields, operation_examples(parsed), parser, location=operation.node.location)
        if parsed.responses.returns:
            fields["returns"] = parsed.responses.returns
        if operation.tags:
            fields["tags"] = operation.tags
        if parsed.responses.errors:
            fields["errors"] = parsed.responses.errors
        if auth := parsed.security.auth():
            fields["auth"] = auth
        if parsed.is_deprecated:
            fields["deprecated"] = {"message": "The API marks this operation as deprecated."}
        fields["timeout"] = _TIMEOUT
        fields[CARRIED] = parser.http_call(parsed)
        yield ImportedTool(in_spec_order(fields), tuple(f"{name}: {note}" for note in notes))


def _add_examples(
    fields: dict[str, Any],
    found: Iterable[SourceExample],
    parser: OperationParser,
    *,
    location: Location,
    limit: int = MAX_EXAMPLES,
) -> None:
    """Add the examples that the schemas in `fields` accept; what is left out is reported at `location`."""
    examples = imported_examples(found, fields["input_schema"], fields.get("output_schema"), limit=limit)
    for message in examples.left_out:
        parser.repairs.add(message, location)
    if examples.written:
        fields["examples"] = examples.written


def _examples_of_tag(parsed: Sequence[ParsedOperation], names: Sequence[str]) -> Iterator[SourceExample]:
    """Yield the first example of each operation, as an argument `call`."""
    for each, name in zip(parsed, names, strict=True):
        for found in islice(operation_examples(each), 1):
            arguments = {"call": {"operation": name, **found.input}}
            yield replace(found, name=f"{name}: {found.name}" if found.name else name, input=arguments)


def _add_texts(fields: dict[str, Any], operation: Operation, notes: list[str]) -> None:
    texts = operation.node.data
    summary, description = (str(texts.get(key) or "").strip() for key in ("summary", "description"))
    if summary and len(summary) <= _MAX_TITLE and "\n" not in summary:
        fields["title"] = summary
    fields["description"] = description or summary or operation.title
    if not (description or summary):
        notes.append("has neither summary nor description; write one, since models choose tools by it")


def _tools_per_tag(
    parser: OperationParser, operations: Sequence[Operation], existing: ExistingNames
) -> Iterator[ImportedTool]:
    """Yield one tool per tag; an operation belongs to the first of its tags."""
    groups: dict[str, list[Operation]] = {}
    for operation in operations:
        groups.setdefault((operation.tags or [_NO_TAG])[0], []).append(operation)
    names = choose_names([_tool_name_of_tag(tag) for tag in groups], existing)
    for (tag, members), name in zip(groups.items(), names, strict=True):
        yield _tool_of_tag(parser, tag, members, name)


def _tool_of_tag(
    parser: OperationParser, tag: str, operations: Sequence[Operation], name: str
) -> ImportedTool:
    """Return a tool whose argument `call` names one of `operations` and has the arguments of that one."""
    names = choose_names([operation.name for operation in operations], ExistingNames())
    parsed = [parser.parse(operation, reserved=("operation",)) for operation in operations]
    fields: dict[str, Any] = {"toolgen": 1, "name": name, "title": tag, "tags": [tag], "timeout": _TIMEOUT}
    fields["description"] = _tag_description(parser.document, tag, operations, names)
    fields["annotations"] = _common_annotations(parsed)
    branches = [_branch(each, each_name) for each, each_name in zip(parsed, names, strict=True)]
    input_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["call"],
        "properties": {"call": branches[0] if len(branches) == 1 else {"oneOf": branches}},
    }
    request = parser.complete_schema(input_schema, "request")
    fields["input_schema"] = request.schema
    notes = request.notes
    outputs = [each.responses.schema for each in parsed if each.responses.schema is not None]
    if len(outputs) == len(parsed):
        unique = [schema for index, schema in enumerate(outputs) if schema not in outputs[:index]]
        output_schema = unique[0] if len(unique) == 1 else {"type": "object", "anyOf": unique}
        response = parser.complete_schema(output_schema, "response")
        fields["output_schema"] = response.schema
        notes += response.notes
    found = _examples_of_tag(parsed, names)
    location = operations[0].node.location
    _add_examples(fields, found, parser, location=location, limit=_MAX_EXAMPLES_OF_TAG)
    fields["errors"] = list(
        {error["code"]: error for each in parsed for error in each.responses.errors}.values()
    )
    if auth := _combined_auth(parsed):
        fields["auth"] = auth
    if all(each.is_deprecated for each in parsed):
        fields["deprecated"] = {"message": "The API marks these operations as deprecated."}
    calls = {each_name: parser.http_call(each) for each, each_name in zip(parsed, names, strict=True)}
    fields[CARRIED] = {"operations": calls}
    for each, each_name in zip(parsed, names, strict=True):
        notes += [f"{each_name}: {note}" for note in each.arguments.notes]
        if each_name != each.operation.name:
            notes.append(f"the operation {each_name!r} is renamed from {quoted(each.operation.name, 256)}")
    return ImportedTool(in_spec_order(fields), tuple(f"{name}: {note}" for note in notes))


def _branch(parsed: ParsedOperation, name: str) -> dict[str, Any]:
    """Return the schema of `call` for one operation: its name and its arguments."""
    schema = parsed.arguments.schema()
    texts = parsed.operation.node.data
    description = str(texts.get("summary") or texts.get("description") or "").strip()
    return {
        "title": name,
        **({"description": description} if description else {}),
        **schema,
        "required": ["operation", *schema.get("required", ())],
        "properties": {"operation": {"type": "string", "const": name}, **schema["properties"]},
    }


def _tag_description(
    document: OpenApiDocument, tag: str, operations: Sequence[Operation], names: Sequence[str]
) -> str:
    listed = document.root.data.get("tags")
    tags = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    description = next((str(each.get("description") or "") for each in tags if each.get("name") == tag), "")
    lines = []
    for operation, name in zip(operations, names, strict=True):
        summary = str(operation.node.data.get("summary") or operation.title).strip().partition("\n")[0]
        lines.append(f"- {name}: {summary}")
    return "\n".join([description.strip() or f"{tag}.", "", "`call.operation` is one of:", *lines])


def _common_annotations(parsed: Sequence[ParsedOperation]) -> dict[str, bool]:
    """Return the hints that hold for every operation; the tool is destructive if one of them is."""
    hints = [each.annotations() for each in parsed]
    common = {key: all(each.get(key, False) for each in hints) for key in ("readOnlyHint", "idempotentHint")}
    if all("destructiveHint" in each for each in hints):
        common["destructiveHint"] = any(each["destructiveHint"] for each in hints)
    return {**common, "openWorldHint": True}


def _combined_auth(parsed: Sequence[ParsedOperation]) -> dict[str, Any]:
    combined: dict[str, Any] = {}
    for key in ("scopes", "secrets"):
        values = [value for each in parsed for value in each.security.auth().get(key, ())]
        if values:
            combined[key] = list(dict.fromkeys(values))
    return combined
