"""What a call of an operation takes: parameters and body in one flat object, and where each part goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgen.importers.openapi.body import Body, body_of
from toolgen.importers.openapi.document import Place
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.schemas import Schema, Schemas
from toolgen.runtime.http.media import TOKEN
from toolgen.suggestions import quoted

_PLACES = ("path", "query", "querystring", "header", "cookie")
_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form", "querystring": "form"}
_NOT_OURS = frozenset(
    [
        "accept",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "host",
        "transfer-encoding",
    ]
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_TEMPLATE = re.compile(r"\{([^{}/]+)\}")
_LONGEST = 64  # of a property that every provider takes


_Found = dict[tuple[str, str], tuple[dict[str, Any], Place]]


@dataclass(slots=True)
class Arguments:
    """The arguments of one operation. `notes` are sentences for whoever imports it."""

    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    parameters: list[dict[str, Any]] = field(default_factory=list)  # as `x-openapi` has them
    body: dict[str, Any] | None = None  # as `x-openapi` has it
    others: Schema | bool = False  # what further arguments may be
    notes: list[str] = field(default_factory=list)
    reserved: frozenset[str] = frozenset()  # names that arguments must not have

    def schema(self) -> Schema:
        """The schema of the arguments, without `$defs`."""
        made: Schema = {"type": "object", "additionalProperties": self.others}
        if self.required:
            made["required"] = self.required
        return {**made, "properties": self.properties}

    def add(self, wire_name: str, place: str, schema: Any, required: bool) -> str:
        """One more argument; what it is called."""
        plain = wire_name
        if _UNSAFE.search(plain):
            plain = _UNSAFE.sub("_", plain).strip("_") or place
        plain = plain[:_LONGEST]
        name = plain
        if self._is_taken(name):
            name = f"{place}_{plain}"[:_LONGEST]
            number = 2
            while self._is_taken(name):
                name, number = f"{place}_{plain}"[: _LONGEST - 4] + f"_{number}", number + 1
        if name != wire_name:
            why = f", since another one is called {quoted(plain)}" if name != plain else ""
            self.notes.append(f"{quoted(wire_name)} of the {place} is the argument {name!r}{why}")
        self.properties[name] = schema
        if required:
            self.required.append(name)
        return name

    def _is_taken(self, name: str) -> bool:
        return name in self.properties or name in self.reserved


def arguments_of(operation: Operation, schemas: Schemas, reserved: Sequence[str] = ()) -> Arguments:
    """Path, query, header and cookie parameters, then the body. Raises `SourceError`.

    No argument is called as one of `reserved`.
    """
    made = Arguments(reserved=frozenset(reserved))
    found = sorted(_parameters(operation, schemas), key=lambda each: _PLACES.index(each[0]["in"]))
    for node, at in found:
        _add_parameter(made, node, at, schemas)
    body = body_of(operation, schemas)
    if body is not None:
        _add_body(made, body)
    return made


def _parameters(operation: Operation, schemas: Schemas) -> Iterator[tuple[dict[str, Any], Place]]:
    """Those of the path item and of the operation, which may say one anew."""
    library = schemas.library
    found: _Found = {}
    for owner, place in ((operation.item, operation.item_place), (operation.node, operation.place)):
        listed = owner.get("parameters") or []
        if not isinstance(listed, list):
            raise library.refuse(place / "parameters", "must be a list")
        for index in range(len(listed)):
            node, at = library.mapping(place / "parameters" / index)
            name, where = node.get("name"), node.get("in")
            if not isinstance(name, str) or not name or where not in _PLACES:
                raise library.refuse(at, f"a parameter has a `name`, and an `in`: {', '.join(_PLACES)}")
            if where == "header" and name.lower() in _NOT_OURS:
                schemas.repairs.note(f"the header {name} is not the caller's to say: left out", at)
                continue
            if where == "header" and not TOKEN.fullmatch(name):
                schemas.repairs.note(f"no header can be called {quoted(name)}: left out", at)
                continue
            found[name, where] = (node, at)
    return _of_path(operation, found, schemas)


def _of_path(operation: Operation, found: _Found, schemas: Schemas) -> Iterator[tuple[dict[str, Any], Place]]:
    """Those of `found` that have a place; and those that only the path tells of."""
    named = list(dict.fromkeys(_TEMPLATE.findall(operation.path)))
    for (name, where), (node, at) in found.items():
        if where == "path" and name not in named:
            schemas.repairs.note("a path parameter that is not in the path: left out", at)
            continue
        yield node, at
    for name in named:
        if (name, "path") not in found:
            schemas.repairs.note(f"{{{name}}} in the path is not described: read as text", operation.place)
            yield {"name": name, "in": "path", "required": True}, operation.place


def _add_parameter(made: Arguments, node: dict[str, Any], at: Place, schemas: Schemas) -> None:
    place = node["in"]
    wire: dict[str, Any] = {"argument": "", "name": node["name"], "in": place}
    schema, media_type = _schema_of(node, at, schemas)
    required = node.get("required") is True or place == "path"
    wire["argument"] = made.add(node["name"], place, _described(schema, node), required)
    style = node.get("style", _STYLES[place])
    if style != _STYLES[place]:
        wire["style"] = style
    explode = node.get("explode", style in ("form", "cookie"))
    if explode != (style in ("form", "cookie")):
        wire["explode"] = explode
    if node.get("allowReserved") is True:
        wire["allow_reserved"] = True
    if media_type:
        wire["media_type"] = media_type
    made.parameters.append(wire)


def _schema_of(node: dict[str, Any], at: Place, schemas: Schemas) -> tuple[Any, str]:
    """The schema of a parameter, and the media type that its value is written as, if it is."""
    content = schemas.library.member(node, at, "content")
    if content:
        media_type = next(iter(content))
        media, place = schemas.library.mapping(at / "content" / media_type)
        return schemas.convert(place / "schema", "request") if "schema" in media else {}, media_type
    return schemas.convert(at / "schema", "request") if "schema" in node else {"type": "string"}, ""


def _described(schema: Any, node: dict[str, Any]) -> Any:
    """`schema` with what the parameter says beside it; what is nearer to the use wins."""
    if isinstance(schema, bool):
        return schema
    made = dict(schema)
    if isinstance(node.get("description"), str) and node["description"]:
        made = {**{key: value for key, value in made.items() if key != "description"}}
        made["description"] = node["description"]
    if node.get("deprecated") is True:
        made["deprecated"] = True
    if "example" in node:
        made["examples"] = [node["example"]]
    elif isinstance(node.get("examples"), dict):
        values = [
            each["value"] for each in node["examples"].values() if isinstance(each, dict) and "value" in each
        ]
        if values:
            made["examples"] = values
    return made


def _add_body(made: Arguments, body: Body) -> None:
    made.notes += body.notes
    wire: dict[str, Any] = {"media_type": body.media_type}
    if body.required:
        wire["required"] = True
    if body.fields is None:
        wire["argument"] = made.add("body", "body", body.schema, body.required)
    else:
        names = {
            made.add(name, "body", each.schema, each.required): name for name, each in body.fields.items()
        }
        wire["fields"] = {argument: name for argument, name in names.items() if argument != name}
        if not wire["fields"]:
            del wire["fields"]
        made.others = body.others
    more = {"encoding": body.encoding, "binary": body.binary}
    made.body = wire | {key: value for key, value in more.items() if value}
