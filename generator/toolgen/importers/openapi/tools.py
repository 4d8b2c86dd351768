"""Operations of an API as specs: what the language has a field for there, the way of HTTP beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.importers.imported_tool import ImportedTool, in_spec_order
from toolgen.importers.names import ExistingNames, choose_names
from toolgen.importers.openapi.answers import Answers, answers_of
from toolgen.importers.openapi.arguments import Arguments, arguments_of
from toolgen.importers.openapi.bundle import MOST, Bundles
from toolgen.importers.openapi.document import Library
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.repairs import Repairs
from toolgen.importers.openapi.schemas import Schema, Schemas, Side
from toolgen.importers.openapi.security import Security, security_of
from toolgen.importers.openapi.servers import server_of
from toolgen.importers.openapi.variables import BASE_URL, Variables, origin_of
from toolgen.importers.schema_repair import repair_schema
from toolgen.suggestions import quoted

CARRIED = "x-openapi"
OWNED = (
    "title", "description", "returns", "tags", "annotations", "input_schema", "output_schema", "errors",
    "auth", "deprecated", CARRIED,
)  # fmt: skip
"""The fields that the source decides."""

TIMEOUT = 60  # seconds
_HINTS = {
    "get": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    "put": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "delete": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "patch": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
}  # https://www.rfc-editor.org/rfc/rfc9110#section-9.2
_SAFE = ("get", "head", "options", "query", "trace")
_TITLE = 120  # characters of a title; a summary that is longer is a description


@dataclass(frozen=True, slots=True)
class Understood:
    """One operation, every part of it read."""

    operation: Operation
    arguments: Arguments
    answers: Answers
    security: Security
    server: str


class Reader:
    """Reads the operations of one document. `repairs` fill up on the way."""

    def __init__(
        self, library: Library, variables: Variables, tell: Callable[[], None] = lambda: None
    ) -> None:
        self.library = library
        self.variables = variables
        self._tell = tell  # is called for every operation that was read
        self.repairs = Repairs(library)
        self.schemas = Schemas(library, self.repairs)
        self._bundles = Bundles(self.schemas)

    def understand(self, operation: Operation, reserved: Sequence[str] = ()) -> Understood:
        """Read one operation, none of whose arguments is to be called as `reserved`. Raises `SourceError`."""
        self._tell()
        return Understood(
            operation,
            arguments_of(operation, self.schemas, reserved),
            answers_of(operation, self.schemas),
            security_of(operation, self.library, self.repairs, self.variables),
            server_of(operation, self.library, self.repairs),
        )

    def whole(self, schema: Schema, side: Side) -> tuple[Schema, list[str]]:
        """`schema` with its definitions, as the language takes it, and what was done to it."""
        field = "input_schema" if side == "request" else "output_schema"
        bundle, opened = self._bundles.bundle(schema, side)
        repaired = repair_schema(bundle, field)
        made, notes = repaired.schema, repaired.notes
        if made == bundle:
            made = bundle  # which shares its definitions with other tools
        if opened:
            long = f"{field}: longer than {MOST:,} characters"
            notes.append(f"{long}: {opened} of its definitions, the innermost, take anything")
        return made, notes

    def call(self, found: Understood) -> dict[str, Any]:
        """`x-openapi`: what it takes to make the call."""
        made: dict[str, Any] = {"method": found.operation.method.upper(), "path": found.operation.path}
        if "operationId" in found.operation.node:
            made["operation"] = found.operation.name
        if found.server:
            made["server"] = found.server
        made["base_url"] = self.variables.name(BASE_URL)
        if found.arguments.parameters:
            made["parameters"] = found.arguments.parameters
        if found.arguments.body is not None:
            made["body"] = found.arguments.body
        if found.answers.accept:
            made["accept"] = found.answers.accept
        if found.answers.wrapped:
            made["wrapped"] = True
        if found.answers.codes:
            made["errors"] = found.answers.codes
        if found.security.schemes:
            to = {"sent_to": origin_of(found.server)} if found.server else {}
            made["security"] = [{**scheme, **to} for scheme in found.security.schemes]
        return made


def per_operation(
    reader: Reader, operations: Sequence[Operation], decided: ExistingNames
) -> Iterator[ImportedTool]:
    """One tool for each of `operations`."""
    names = choose_names([operation.name for operation in operations], decided)
    taken = {*names, *decided.taken}
    for operation, name in zip(operations, names, strict=True):
        found = reader.understand(operation)
        fields: dict[str, Any] = {"toolgen": 1, "name": name}
        notes: list[str] = []
        if name != operation.name and "operationId" in operation.node:
            if operation.name not in taken:
                fields["aliases"] = [operation.name]
                taken.add(operation.name)
            notes.append(f"stands for {quoted(operation.name, 256)}")
        _prose(fields, operation, notes)
        fields["annotations"] = hints(operation)
        fields["input_schema"], told = reader.whole(found.arguments.schema(), "request")
        notes += [*found.arguments.notes, *told]
        if found.answers.schema is not None:
            fields["output_schema"], told = reader.whole(found.answers.schema, "response")
            notes += told
        if found.answers.returns:
            fields["returns"] = found.answers.returns
        if operation.tags:
            fields["tags"] = operation.tags
        if found.answers.errors:
            fields["errors"] = found.answers.errors
        if auth := found.security.auth():
            fields["auth"] = auth
        if operation.node.get("deprecated") is True:
            fields["deprecated"] = {"message": "The API marks this operation as deprecated."}
        fields["timeout"] = TIMEOUT
        fields[CARRIED] = reader.call(found)
        yield ImportedTool(in_spec_order(fields), tuple(f"{name}: {note}" for note in notes))


def _prose(fields: dict[str, Any], operation: Operation, notes: list[str]) -> None:
    summary, description = (str(operation.node.get(key) or "").strip() for key in ("summary", "description"))
    if summary and len(summary) <= _TITLE and "\n" not in summary:
        fields["title"] = summary
    fields["description"] = description or summary or operation.title
    if not (description or summary):
        notes.append("has neither summary nor description: write one, models choose by it")


def hints(operation: Operation) -> dict[str, bool]:
    """What the method promises. A POST may do anything, so that clients are left with their own caution."""
    found = _HINTS["get"] if operation.method in _SAFE else _HINTS.get(operation.method)
    return {**(found or {"readOnlyHint": False, "idempotentHint": False}), "openWorldHint": True}
