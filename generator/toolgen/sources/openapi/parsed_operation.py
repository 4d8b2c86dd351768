"""Read all parts of an operation, complete its schemas, and write down its HTTP call (`x-openapi`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.http.media import TOKEN
from toolgen.schema.document import format_pointer
from toolgen.sources.openapi.document import Location, ObjectNode, OpenApiDocument, RepairLog
from toolgen.sources.openapi.environment import BASE_URL, SECRET_KEYS, EnvironmentVariables, origin_of
from toolgen.sources.openapi.operation_arguments import OperationArguments, read_arguments
from toolgen.sources.openapi.operation_list import Operation, server_url
from toolgen.sources.openapi.responses import OperationResponses, read_responses
from toolgen.sources.openapi.schemas import (
    MAX_RESPONSE_SCHEMA,
    Direction,
    Schema,
    SchemaBundler,
    SchemaConverter,
)
from toolgen.sources.schema_repair import RepairedSchema, repair_schema


@dataclass(slots=True)
class OperationSecurity:
    """The security requirement that calls of one operation meet."""

    scopes: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)  # environment variables that must be set
    schemes: list[dict[str, Any]] = field(default_factory=list)  # as in `x-openapi`

    def auth(self) -> dict[str, Any]:
        """Return the field `auth` of the spec; empty if nothing is required."""
        found = {"scopes": self.scopes, "secrets": self.secrets}
        return {key: value for key, value in found.items() if value}


def read_security(
    operation: Operation, document: OpenApiDocument, repairs: RepairLog, variables: EnvironmentVariables
) -> OperationSecurity:
    """Return the first requirement with supported schemes, empty if there is none. Raises `SourceError`."""
    owner = operation.node if "security" in operation.node.data else document.root
    location = owner / "security"
    requirements = owner.data.get("security") or []
    if not isinstance(requirements, list) or not all(isinstance(each, dict) for each in requirements):
        raise document.error(location, "must be a list of objects")
    unsupported: list[str] = []
    for requirement in filter(None, requirements):
        security = OperationSecurity()
        problem = _meet(security, ObjectNode(requirement, location), document, variables)
        if not problem:
            if {} in requirements:  # optional: sent if the variables are set
                security.scopes, security.secrets = [], []
            return security
        unsupported.append(problem)
    for problem in unsupported:
        repairs.add(f"{problem}: calls are made without it", location)
    return OperationSecurity()


def _meet(
    security: OperationSecurity,
    requirement: ObjectNode,
    document: OpenApiDocument,
    variables: EnvironmentVariables,
) -> str:
    """Add every scheme of `requirement` to `security`; return why it cannot be met, or ""."""
    for name, scopes in requirement.data.items():
        node = document.object_at(_scheme_location(name, requirement.location, document)).data
        scheme = _to_call_scheme(node, name, variables)
        if scheme is None:
            kind = quoted(str(node.get("type")))
            return f"the security scheme {quoted(name)} of type {kind} is not supported"
        security.schemes.append(scheme)
        if isinstance(scopes, list):
            known = security.scopes
            security.scopes += [scope for scope in scopes if isinstance(scope, str) and scope not in known]
        for key in SECRET_KEYS:
            if key in scheme and scheme[key] not in security.secrets:
                security.secrets.append(scheme[key])
    return ""


def _scheme_location(name: str, location: Location, document: OpenApiDocument) -> Location:
    pointer = format_pointer(("components", "securitySchemes", name))
    return document.resolve_ref(f"#{pointer}", location)


def _to_call_scheme(
    node: dict[str, Any], name: str, variables: EnvironmentVariables
) -> dict[str, Any] | None:
    """Return the scheme as `x-openapi` has it; None if it is not supported."""
    kind, place = node.get("type"), node.get("in")
    if kind == "apiKey" and place in ("header", "query", "cookie") and TOKEN.fullmatch(str(node.get("name"))):
        return {"type": "apiKey", "in": place, "name": node["name"], "secret": variables.secret(name)}
    if kind in ("oauth2", "openIdConnect"):
        return {"type": "bearer", "secret": variables.secret(name, "token")}
    scheme = str(node.get("scheme", "")).lower()
    if kind == "http" and scheme == "bearer":
        return {"type": "bearer", "secret": variables.secret(name, "token")}
    if kind == "http" and scheme == "basic":
        return {
            "type": "basic",
            "username": variables.secret(name, "username"),
            "password": variables.secret(name, "password"),
        }
    return None


_HINTS = {
    "get": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    "put": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "delete": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "patch": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
}  # https://www.rfc-editor.org/rfc/rfc9110#section-9.2
_SAFE_METHODS = ("get", "head", "options", "query", "trace")


@dataclass(frozen=True, slots=True)
class ParsedOperation:
    """One operation with all its parts."""

    operation: Operation
    arguments: OperationArguments
    responses: OperationResponses
    security: OperationSecurity
    server: str  # empty if the document has no absolute URL

    def annotations(self) -> dict[str, bool]:
        """Return what the method promises. A POST may do anything, so clients decide how careful to be."""
        method = self.operation.method
        hints = _HINTS["get"] if method in _SAFE_METHODS else _HINTS.get(method)
        return {**(hints or {"readOnlyHint": False, "idempotentHint": False}), "openWorldHint": True}

    @property
    def is_deprecated(self) -> bool:
        """True if the document marks the operation so."""
        return self.operation.node.data.get("deprecated") is True


class OperationParser:
    """Parses the operations of one document, and collects repairs in `repairs`."""

    def __init__(
        self,
        document: OpenApiDocument,
        variables: EnvironmentVariables,
        on_parsed: Callable[[], None] = lambda: None,
    ) -> None:
        self.document = document
        self.variables = variables
        self.repairs = RepairLog(document)
        self._on_parsed = on_parsed  # called for every operation
        self._converter = SchemaConverter(document, self.repairs)
        self._bundler = SchemaBundler(self._converter)

    def parse(self, operation: Operation) -> ParsedOperation:
        """Parse one operation. Raises `SourceError`."""
        self._on_parsed()
        return ParsedOperation(
            operation,
            read_arguments(operation, self._converter),
            read_responses(operation, self._bundler),
            read_security(operation, self.document, self.repairs, self.variables),
            server_url(operation, self.document, self.repairs),
        )

    def complete_schema(self, schema: Schema, direction: Direction) -> RepairedSchema:
        """Return `schema` with its definitions, as the language accepts it."""
        field = "input_schema" if direction == "request" else "output_schema"
        bundled = self._bundler.bundle(schema, direction)
        repaired = repair_schema(bundled.schema, field)
        # an unchanged schema shares its definitions with those of other tools, which saves memory
        complete = bundled.schema if repaired.schema == bundled.schema else repaired.schema
        notes = repaired.notes
        if bundled.cut_off:
            notes.append(
                f"{field}: longer than {MAX_RESPONSE_SCHEMA:,} characters: "
                f"{bundled.cut_off} of its definitions, the innermost, accept anything"
            )
        return RepairedSchema(complete, notes)

    def http_call(self, parsed: ParsedOperation) -> dict[str, Any]:
        """Return the call of an operation as `x-openapi` has it; `toolgen.runtime.http` reads it."""
        operation = parsed.operation
        call: dict[str, Any] = {"method": operation.method.upper(), "path": operation.path}
        if "operationId" in operation.node.data:
            call["operation"] = operation.name
        if parsed.server:
            call["server"] = parsed.server
        call["base_url"] = self.variables.name(BASE_URL)
        if parsed.arguments.parameters:
            call["parameters"] = parsed.arguments.parameters
        if parsed.arguments.body is not None:
            call["body"] = parsed.arguments.body
        if parsed.responses.accept:
            call["accept"] = parsed.responses.accept
        if parsed.responses.wrapped:
            call["wrapped"] = True
        if parsed.responses.error_codes:
            call["errors"] = parsed.responses.error_codes
        if parsed.security.schemes:
            sent_to = {"sent_to": origin_of(parsed.server)} if parsed.server else {}
            call["security"] = [{**scheme, **sent_to} for scheme in parsed.security.schemes]
        return call
