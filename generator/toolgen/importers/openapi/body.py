"""The body of a request: which media type is sent, and whether its properties can be arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen.importers.openapi.document import Place
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.schemas import Schema, Schemas
from toolgen.runtime.http.media import FORM, MULTIPART, is_binary, is_json, is_text

_PREFERRED = ("application/json", "application/merge-patch+json", "*/*", FORM, MULTIPART)
_FLAT = frozenset(
    ("type", "properties", "required", "additionalProperties", "allOf", "title", "description", "default",
     "deprecated", "example", "examples", "externalDocs", "xml", "$schema", "$id", "nullable")
)  # fmt: skip
"""Keywords of a schema whose properties can stand among other arguments; others look at the object whole."""


@dataclass(frozen=True, slots=True)
class Field:
    """One property of a body."""

    schema: Any
    required: bool


@dataclass(slots=True)
class Body:
    """A body: `fields` by name where it can be taken apart, else a `schema` of its own."""

    media_type: str
    required: bool
    schema: Any = True
    fields: dict[str, Field] | None = None
    others: Schema | bool = False  # what properties beyond the fields may be
    encoding: dict[str, Any] = field(default_factory=dict)
    binary: list[str] = field(default_factory=list)  # fields in base64; "" is the body itself
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Whole:
    """The properties of an object and of what it extends, as the document has them."""

    places: dict[str, Place] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    others: Place | bool = False
    seen: set[Place] = field(default_factory=set)


def body_of(operation: Operation, schemas: Schemas) -> Body | None:
    """The body of an operation; None where it has none. Raises `SourceError`."""
    if "requestBody" not in operation.node:
        return None
    library = schemas.library
    node, at = library.mapping(operation.place / "requestBody")
    content = library.member(node, at, "content")
    if not content:
        return None
    media_type = preferred(list(content))
    media, place = library.mapping(at / "content" / media_type)
    made = Body("application/json" if media_type == "*/*" else media_type, node.get("required") is True)
    if len(content) > 1:
        others = ", ".join(other for other in content if other != media_type)
        made.notes.append(f"the body is sent as {made.media_type}, never as {others}")
    made.encoding = library.member(media, place, "encoding")
    if "schema" not in media:
        made.schema = {} if is_json(media_type) else {"type": "string"}
        made.binary = [""] if is_binary(media_type) else []
        return made
    _read_schema(made, place / "schema", schemas)
    if isinstance(made.schema, dict) and isinstance(node.get("description"), str) and made.fields is None:
        made.schema = {**made.schema, "description": node["description"]}
    return made


def preferred(media_types: list[str]) -> str:
    """The one that is easiest to say: JSON, forms, text, then whatever comes first."""
    return min(media_types, key=_rank)


def _rank(media_type: str) -> int:
    kind = media_type.partition(";")[0].strip().lower()
    if kind in _PREFERRED:
        return _PREFERRED.index(kind)
    return len(_PREFERRED) + (0 if is_json(kind) else 1 if is_text(kind) else 2)


def _read_schema(made: Body, at: Place, schemas: Schemas) -> None:
    whole = _Whole()
    apart = _take_apart(whole, at, schemas) and whole.places.keys() >= set(whole.required)
    if apart and not made.required and whole.required:
        apart = False
        made.notes.append("the body may be left out, but not in part: it is the argument 'body'")
    if not apart:
        made.schema = schemas.convert(at, "request")
        if is_binary(made.media_type) and isinstance(made.schema, dict):
            made.schema = {"type": "string", **made.schema, "contentEncoding": "base64"}
            made.binary = [""]
        return
    made.fields = {}
    for name, place in whole.places.items():
        if not _is_read_only(schemas, place):
            made.fields[name] = Field(schemas.convert(place, "request"), name in whole.required)
            if made.media_type.startswith(MULTIPART) and _is_file(schemas, place):
                made.binary.append(name)
    made.others = (
        schemas.convert(whole.others, "request") if isinstance(whole.others, Place) else whole.others
    )


def _take_apart(whole: _Whole, at: Place, schemas: Schemas) -> bool:
    """Collect the properties of the schema at `at` in `whole`; whether nothing is lost by that."""
    library = schemas.library
    place = library.followed(at)
    node = library.value(place)
    if not isinstance(node, dict) or node.get("nullable") is True or place in whole.seen:
        return False
    whole.seen.add(place)
    if any(key not in _FLAT and not key.startswith("x-") for key in node):
        return False
    branches, properties = node.get("allOf", []), node.get("properties", {})
    required = node.get("required", [])
    if not (isinstance(branches, list) and isinstance(properties, dict) and isinstance(required, list)):
        return False
    if not all(isinstance(name, str) for name in required):
        return False
    if node.get("type", "object") != "object" or not (branches or properties):
        return False
    others = node.get("additionalProperties", False)
    together = branches or at.path[-2:-1] == ("allOf",)
    if (together and "additionalProperties" in node) or not properties.keys().isdisjoint(whole.places):
        return False
    whole.places |= {name: place / "properties" / name for name in properties}
    whole.required += required
    if isinstance(others, dict):
        whole.others = place / "additionalProperties"
    elif others is True and not isinstance(whole.others, Place):
        whole.others = True
    return all(_take_apart(whole, place / "allOf" / index, schemas) for index in range(len(branches)))


def _is_read_only(schemas: Schemas, place: Place) -> bool:
    node = schemas.library.value(place)
    if isinstance(node, dict) and "readOnly" not in node and isinstance(node.get("$ref"), str):
        node = schemas.library.value(schemas.library.followed(place))
    return isinstance(node, dict) and node.get("readOnly") is True


def _is_file(schemas: Schemas, place: Place) -> bool:
    """Whether a part of a form is a file, or several."""
    node = schemas.library.value(schemas.library.followed(place))
    if isinstance(node, dict) and node.get("type") == "array" and "items" in node:
        node = schemas.library.value(schemas.library.followed(place / "items"))
    if not isinstance(node, dict):
        return False
    unsaid = "contentMediaType" in node and "contentEncoding" not in node
    return node.get("format") in ("binary", "byte") or unsaid
