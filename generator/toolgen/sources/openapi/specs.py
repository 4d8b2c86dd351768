"""Import an OpenAPI document: one spec per operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.language.source import Source
from toolgen.runtime.definition.tool_definition import ANSWERS, SHAPE
from toolgen.sources.examples import SourceExample, add_examples
from toolgen.sources.imported_tool import ImportedTool, LeftOut, in_spec_order
from toolgen.sources.json_source import MAX_NAME, errors_at
from toolgen.sources.openapi.document import LoadFile, OpenApiDocument, RepairLog
from toolgen.sources.openapi.environment import BASE_URL, EnvironmentVariables, call_of, origin_of, stem_of
from toolgen.sources.openapi.operation_arguments import OperationArguments, read_parameters
from toolgen.sources.openapi.operation_list import (
    Operation,
    filter_operations,
    list_operations,
    main_server,
    readable_names,
    server_url,
)
from toolgen.sources.openapi.request_body import add_body
from toolgen.sources.openapi.responses import OperationResponses, read_responses
from toolgen.sources.openapi.schemas import (
    MAX_RESPONSE_SCHEMA,
    Direction,
    Schema,
    SchemaBundler,
    SchemaConverter,
)
from toolgen.sources.openapi.security import read_security
from toolgen.sources.schema_repair import repair_schema
from toolgen.sources.spec_names import ExistingNames, choose_names

CARRIED = "x-openapi"
OWNED = (
    "title", "description", "returns", "tags", "annotations", "input_schema", "output_schema", "errors",
    "auth", "deprecated", CARRIED,
)  # fmt: skip
"""Spec fields that `--sync` takes from the source."""

_TIMEOUT = 60  # seconds
_MAX_TITLE = 120  # characters; a longer summary is a description
_NO_TEXTS = "has neither summary nor description; write one, since models choose tools by it"
_DEPRECATED = "The API marks this operation as deprecated."
_HINTS = {
    "get": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    "put": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "delete": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "patch": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
}  # https://www.rfc-editor.org/rfc/rfc9110#section-9.2
_SAFE_METHODS = ("get", "head", "options", "query", "trace")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The user's choices for an import."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    most: int | None = None  # operations, the first ones in the document; None: all
    prefix: str = "APP"  # of all environment variables
    stem: str = ""  # of the environment variables in specs of an earlier import, which a sync keeps
    allowed: Sequence[str] = ()  # credentials of other services that may be sent to this API
    answers: str = ""  # how much is checked (`answers` of `x-openapi`); empty: as each spec says
    usual_answers: str = SHAPE  # of specs that do not say it
    earlier: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # key of an operation → its spec


def find_operations(
    source: Source, load: LoadFile, options: ImportOptions, left_out: LeftOut
) -> list[Operation]:
    """Return the operations of a parsed document that the patterns of `options` select.

    Raises `SourceError` if the document or a pattern is not valid.
    """
    document = OpenApiDocument(source, load)
    return filter_operations(list_operations(document, left_out), options.include, options.exclude)


def import_openapi(
    source: Source,
    load: LoadFile,
    *,
    options: ImportOptions,
    existing: ExistingNames,
    on_progress: Callable[[int, int], None],
    left_out: LeftOut | None = None,
) -> list[ImportedTool]:
    """Return the tools of a parsed document.

    Args:
        load: loads a file that the document refers to.
        on_progress: called with the number of parsed operations and the number of all.
        left_out: gets the operations that cannot be imported; without it, they raise `SourceError`.

    Raises:
        SourceError: the document or a pattern of `options` is not valid.
    """
    document = OpenApiDocument(source, load)
    left_out = left_out or LeftOut(raises=True)
    every = list_operations(document, left_out)
    selected = filter_operations(every, options.include, options.exclude)
    operations = selected[: options.most]
    title = str(document.member(document.root, "info").get("title") or "")
    variables = EnvironmentVariables(options.stem or stem_of(options.prefix, title), options.allowed)
    reader = _OperationReader(document, variables, options, RepairLog(document), main_server(every, document))
    wanted = readable_names(operations, every)
    names = choose_names(wanted, existing, [operation.key for operation in operations])
    taken = {*names, *existing.taken, *existing.in_place}
    tools: list[ImportedTool] = []
    for number, (operation, spec_name, readable) in enumerate(zip(operations, names, wanted, strict=True), 1):
        on_progress(number, len(operations))
        found = None
        with left_out.reading(operation.key):
            found = reader.read(operation)
        if found is None:
            continue
        fields, notes = found
        is_new = operation.key not in existing.imported
        if is_new and spec_name != readable and "operationId" in operation.node.data:
            if operation.name not in taken:
                fields["aliases"] = [operation.name]
                taken.add(operation.name)
            notes.insert(0, f"renamed from {quoted(operation.name, MAX_NAME)}")
        fields = in_spec_order({"toolgen": 1, "name": spec_name, **fields})
        tools.append(ImportedTool(fields, tuple(f"{spec_name}: {note}" for note in notes)))
    about = list(reader.repairs.messages())
    if len(selected) > len(operations):
        about.append(f"{len(selected) - len(operations)} of {len(selected)} operations were left out")
    if tools:  # these notes concern the document: they are shown once, before the first tool
        tools[0] = replace(tools[0], notes=(*about, *tools[0].notes))
    return tools


class _OperationReader:
    """Reads the operations of one document, each with all its parts."""

    def __init__(
        self,
        document: OpenApiDocument,
        variables: EnvironmentVariables,
        options: ImportOptions,
        repairs: RepairLog,
        server: str,
    ) -> None:
        self.document, self.variables, self.options, self.repairs = document, variables, options, repairs
        self.server = server  # that of most operations
        self._bundlers = {
            formats: SchemaBundler(SchemaConverter(document, repairs, formats=formats))
            for formats in (False, True)
        }
        said = set(map(_answers_in, options.earlier.values()))
        self._usual_answers = (said.pop() if len(said) == 1 else "") or options.usual_answers

    def read(self, operation: Operation) -> tuple[dict[str, Any], list[str]]:
        """Return the fields of the spec but for its name, and notes. Raises `SourceError`."""
        texts, options = operation.node.data, self.options
        earlier = options.earlier.get(operation.key, {})
        own = _answers_in(earlier)
        answers = options.answers or own or self._usual_answers
        bundler = self._bundlers[answers == "checked"]
        arguments = read_parameters(operation, bundler.converter)
        add_body(arguments, operation, bundler.converter)
        responses = read_responses(operation, bundler)
        security = read_security(operation, self.document, self.repairs, self.variables)
        server = server_url(operation, self.document, self.repairs)
        # one variable cannot be the address of two servers
        own_server = () if server in ("", self.server) else (server.partition("://")[2],)
        summary, description = (str(texts.get(key) or "").strip() for key in ("summary", "description"))
        notes = [] if description or summary else [_NO_TEXTS]
        notes += arguments.notes
        fields: dict[str, Any] = {
            "title": summary if len(summary) <= _MAX_TITLE and "\n" not in summary else "",
            "description": description or summary or operation.title,
            "annotations": _annotations(operation.method),
            "input_schema": _complete(bundler, arguments.schema(), "request", operation, notes),
            "returns": responses.returns,
            "tags": operation.tags,
            "errors": responses.errors,
            "auth": security.auth(earlier.get("auth")),
            "deprecated": {"message": _DEPRECATED} if texts.get("deprecated") is True else None,
            "timeout": _TIMEOUT,
        }
        if responses.schema is not None:
            fields["output_schema"] = _complete(bundler, responses.schema, "response", operation, notes)
        for message in add_examples(fields, _examples(arguments, responses)):
            self.repairs.add(message, operation.node.location)
        schemes = security.schemes
        if server:
            schemes = [{**scheme, "sent_to": origin_of(server)} for scheme in schemes]
        call = {  # `toolgen.runtime.http` reads it
            "method": operation.method.upper(),
            "path": operation.path,
            "operation": operation.name if "operationId" in texts else "",
            "server": server,
            "base_url": self.variables.name(*own_server, BASE_URL),
            "parameters": arguments.parameters,
            "body": arguments.body,
            "accept": responses.accept,
            "answers": answers if own or {answers, self._usual_answers} != {SHAPE} else "",
            "wrapped": responses.wrapped,
            "errors": responses.error_codes,
            "security": schemes,
        }
        fields[CARRIED] = {key: value for key, value in call.items() if value}
        return {key: value for key, value in fields.items() if value}, notes


def _answers_in(spec: Mapping[str, Any]) -> str:
    """Return what an earlier spec says about answers; empty if it says nothing."""
    own = call_of(spec).get("answers")
    return own if own in ANSWERS else ""


def _complete(
    bundler: SchemaBundler, schema: Schema, direction: Direction, operation: Operation, notes: list[str]
) -> Schema:
    """Return `schema` with its definitions, as the language accepts it."""
    name = "input_schema" if direction == "request" else "output_schema"
    bundled = bundler.bundle(schema, direction)
    with errors_at(bundler.converter.document.label, operation.node.location):
        repaired = repair_schema(bundled.schema, name)
    notes += repaired.notes
    if bundled.cut_off:
        notes.append(
            f"{name}: longer than {MAX_RESPONSE_SCHEMA:,} characters: "
            f"{bundled.cut_off} of its definitions, the innermost, accept anything"
        )
    # an unchanged schema shares its definitions with those of other tools, which saves memory
    return bundled.schema if repaired.schema == bundled.schema else repaired.schema


def _annotations(method: str) -> dict[str, bool]:
    """Return what the method promises. A POST may do anything, so clients decide how careful to be."""
    hints = _HINTS["get"] if method in _SAFE_METHODS else _HINTS.get(method)
    return {**(hints or {"readOnlyHint": False, "idempotentHint": False}), "openWorldHint": True}


def _examples(arguments: OperationArguments, responses: OperationResponses) -> Iterator[SourceExample]:
    """Yield a call that the document shows, by the first example of each of its parts."""
    request = arguments.example()
    if request is None or not (request or responses.examples):
        return
    outputs = [{"result": each} if responses.wrapped else each for each in responses.examples[:1]]
    yield SourceExample(request, output=outputs[0] if outputs else None, has_output=bool(outputs))
