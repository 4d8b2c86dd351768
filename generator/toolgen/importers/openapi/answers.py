"""What an operation answers: the output schema, and the errors that it declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolgen.importers.openapi.body import preferred
from toolgen.importers.openapi.document import Place
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.schemas import Schema, Schemas
from toolgen.runtime.http.media import is_json, is_text
from toolgen.runtime.http.status import NAMES, RETRYABLE
from toolgen.schema.document import parse_pointer

_SAYING_LITTLE = frozenset(
    (
        "",
        "ok",
        "success",
        "successful",
        "successful response",
        "default response",
        "response",
        "no content",
        "created",
    )
)
_EMPTY: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["status"],
    "properties": {"status": {"type": "integer", "description": "The HTTP status; there is no content."}},
}  # fmt: skip
_BINARY: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["media_type", "base64"],
    "properties": {
        "media_type": {"type": "string", "description": "What the content is."},
        "base64": {"type": "string", "contentEncoding": "base64", "description": "The content."},
    },
}
_ALWAYS = (
    {
        "code": "http_error",
        "description": "The API answers with an error of another kind.",
    },
    {"code": "unreachable", "description": "The API cannot be reached.", "retryable": True},
)
_HINTS = {
    "too_many_requests": "Wait, as long as the message says if it does, and repeat the call.",
}


@dataclass(slots=True)
class Answers:
    """The answers of one operation."""

    schema: Schema | None = None  # None: any JSON value
    wrapped: bool = False  # what comes back is the property `result` of the answer
    accept: str = ""  # the media type that is asked for
    returns: str = ""  # what comes back, in words
    errors: list[dict[str, Any]] = field(default_factory=list)  # as the language has them
    codes: dict[str, str] = field(default_factory=dict)  # 404, 4XX, default → code of an error


def answers_of(operation: Operation, schemas: Schemas) -> Answers:
    """What `responses` says. Raises `SourceError`."""
    made = Answers()
    library = schemas.library
    responses = sorted(library.member(operation.node, operation.place, "responses"), key=_rank)
    good: list[Schema | None] = []
    for status in responses:
        if status.startswith("x-"):
            continue
        node, at = library.mapping(operation.place / "responses" / status)
        if status[:1] == "2" or (status == "default" and not good):
            if not good:
                made.returns = _words(node)
            good.append(_success(made, status, node, at, schemas))
        elif status[:1] in "45" or status == "default":
            _error(made, status, node)
    made.schema = _either(good)
    if made.schema is not None and made.schema.get("type") != "object":
        made.wrapped = True
        made.schema = {
            "type": "object",
            "additionalProperties": False,
            "required": ["result"],
            "properties": {"result": made.schema},
        }
    known = {error["code"] for error in made.errors}
    made.errors += [dict(error) for error in _ALWAYS if error["code"] not in known]
    return made


def _rank(status: str) -> tuple[bool, bool]:
    """Successes first, `default` last, the rest as the document has them."""
    return (status[:1] != "2", status == "default")


def _success(made: Answers, status: str, node: dict[str, Any], at: Place, schemas: Schemas) -> Schema | None:
    content = schemas.library.member(node, at, "content")
    if not content:
        return None if status == "default" else _EMPTY
    media_type = preferred(list(content))
    made.accept = made.accept or media_type
    media, place = schemas.library.mapping(at / "content" / media_type)
    if is_json(media_type) or media_type == "*/*":
        found = _root(place / "schema", schemas) if "schema" in media else None
        return found if isinstance(found, dict) and found else None
    return {"type": "string"} if is_text(media_type) else _BINARY


def _root(at: Place, schemas: Schemas) -> Schema | bool:
    """The schema at `at`, itself rather than a reference: clients look for `type: object` at its root."""
    made = schemas.convert(schemas.library.followed(at), "response")
    if isinstance(made, dict) and "type" not in made and _is_object(made, schemas):
        return {"type": "object", **made}
    return made


def _is_object(made: Schema, schemas: Schemas) -> bool:
    """Whether nothing but an object can fit it: one of the schemas that it extends says so."""
    branches = made.get("allOf")
    for branch in branches if isinstance(branches, list) else []:
        if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
            branch = schemas.definition("response", str(parse_pointer(branch["$ref"][1:])[1]))
        if isinstance(branch, dict) and branch.get("type") == "object":
            return True
    return False


def _words(node: dict[str, Any]) -> str:
    """What the description of a response says, unless that is only that there is one."""
    said = str(node.get("description") or "").strip()
    return "" if said.rstrip(".!").lower() in _SAYING_LITTLE else said


def _either(found: list[Schema | None]) -> Schema | None:
    """One schema for all; None where one of them takes anything."""
    if not found or None in found:
        return None
    different: list[Schema] = []
    for schema in found:
        if schema is not None and schema not in different:
            different.append(schema)
    if len(different) == 1:
        return different[0]
    objects = all(schema.get("type") == "object" for schema in different)
    return {**({"type": "object"} if objects else {}), "anyOf": different}


def _error(made: Answers, status: str, node: dict[str, Any]) -> None:
    code = NAMES.get(status.upper()) or f"http_{status.lower()}"
    if not all(c.isascii() and (c.isalnum() or c == "_") for c in code):
        return
    made.codes[status.upper() if status != "default" else status] = code
    if any(error["code"] == code for error in made.errors):
        return
    said = str(node.get("description") or "").strip()
    error: dict[str, Any] = {"code": code, "description": said or f"The API answers {status}."}
    if code in RETRYABLE:
        error["retryable"] = True
    if code in _HINTS:
        error["hint"] = _HINTS[code]
    made.errors.append(error)


def all_codes(found: list[Answers]) -> Iterator[dict[str, Any]]:
    """The errors of several operations, each code once."""
    seen: set[str] = set()
    for answers in found:
        for error in answers.errors:
            if error["code"] not in seen:
                seen.add(error["code"])
                yield error
