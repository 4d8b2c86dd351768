"""Import an OpenAPI document: one spec per operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.sources.examples import add_examples
from toolgen.sources.imported_tool import ImportedTool, in_spec_order
from toolgen.sources.names import ExistingNames, choose_names
from toolgen.sources.openapi.document import LoadFile, OpenApiDocument
from toolgen.sources.openapi.environment import EnvironmentVariables, stem_of
from toolgen.sources.openapi.examples import operation_examples
from toolgen.sources.openapi.operation_list import (
    Operation,
    filter_operations,
    list_operations,
    readable_names,
)
from toolgen.sources.openapi.parsed_operation import OperationParser

CARRIED = "x-openapi"
OWNED = (
    "title", "description", "returns", "tags", "annotations", "input_schema", "output_schema", "errors",
    "auth", "deprecated", CARRIED,
)  # fmt: skip
"""Spec fields that `--sync` takes from the source."""

_TIMEOUT = 60  # seconds
_MAX_TITLE = 120  # characters; a longer summary is a description


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The user's choices for an import."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    most: int | None = None  # operations, the first ones in the document; None: all
    prefix: str = "APP"  # of all environment variables
    stem: str = ""  # of the environment variables in specs of an earlier import, which a sync keeps
    allowed: Sequence[str] = ()  # credentials of other services that may be sent to this API


def find_operations(data: Any, name: str, load: LoadFile, options: ImportOptions) -> list[Operation]:
    """Return the operations of the parsed document `data` that the patterns of `options` select.

    Raises `SourceError` if the document or a pattern is not valid.
    """
    document = OpenApiDocument(name, data, load)
    return filter_operations(list_operations(document), options.include, options.exclude)


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
    tools = list(_to_specs(parser, operations, readable_names(operations, every), existing))
    notes = list(parser.repairs.messages())
    if len(found) > len(operations):
        notes.append(f"{len(found) - len(operations)} of {len(found)} operations were left out")
    if tools:  # these notes concern the document: they are shown once, before the first tool
        tools[0] = replace(tools[0], notes=(*notes, *tools[0].notes))
    return tools


def _to_specs(
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
        for message in add_examples(fields, operation_examples(parsed)):
            parser.repairs.add(message, operation.node.location)
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


def _add_texts(fields: dict[str, Any], operation: Operation, notes: list[str]) -> None:
    texts = operation.node.data
    summary, description = (str(texts.get(key) or "").strip() for key in ("summary", "description"))
    if summary and len(summary) <= _MAX_TITLE and "\n" not in summary:
        fields["title"] = summary
    fields["description"] = description or summary or operation.title
    if not (description or summary):
        notes.append("has neither summary nor description; write one, since models choose tools by it")
