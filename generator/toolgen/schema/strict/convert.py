"""Convert a schema to OpenAI's strict form, with a loss for everything that the form cannot express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen.schema.dialect_loss import Loss
from toolgen.schema.document import JsonObject, JsonPath
from toolgen.schema.provider_names import ProviderNames, ascii_name
from toolgen.schema.providers import OPENAI_STRICT
from toolgen.schema.strict.ambiguity import accepts_null, is_restorable
from toolgen.schema.strict.constraints import Subschema, ValueLocation
from toolgen.schema.strict.normal_form import (
    Alternative,
    NormalForm,
    NoStrictFormError,
    Union,
    location_key,
    overlapping_branches,
)

_UNDECLARED: Final = (
    "Properties that are not declared cannot be sent; `additionalProperties: false` says that none are meant."
)

MAX_SUBSCHEMAS: Final = 4 * OPENAI_STRICT.properties
MAX_DEPTH: Final = 64


class LossError(Exception):
    """A lossless conversion would lose something."""


def root_alternative(form: NormalForm) -> tuple[Alternative, str | None]:
    """Return the object that the arguments are, and the combinator that was ignored to find it, if any.

    Raises `NoStrictFormError` if they are not one object.
    """
    alternatives = form.alternatives(form.root)
    if len(alternatives) == 1 and alternatives[0].type == "object":
        return alternatives[0], None
    bare_root = form.without_unions(form.root)
    if len(bare_root) == 1 and bare_root[0].type == "object" and alternatives:
        known = form.properties(bare_root[0]).keys()
        if all(each.type == "object" and each.properties.keys() <= known for each in alternatives):
            return bare_root[0], "oneOf" if "oneOf" in form.root[0].schema else "anyOf"
    raise NoStrictFormError(
        (), "type", "The arguments are not one plain object, and strict mode has no other."
    )


class StrictConverter:
    """One conversion to strict form. `losses` are complete after `root`.

    If it is to be `lossless`, it ends at the first loss.
    """

    def __init__(self, form: NormalForm, *, lossless: bool = False) -> None:
        self._form = form
        self._lossless = lossless
        self._losses: dict[Loss, None] = {}
        self._defs: dict[str, JsonObject] = {}
        self._names: dict[tuple[JsonPath, ...], str] = {}  # location → its name in `$defs`
        self._unique_names = ProviderNames()
        self._in_progress: set[tuple[JsonPath, ...]] = set()  # they may contain themselves
        self._subschemas = 0

    @property
    def losses(self) -> tuple[Loss, ...]:
        return tuple(self._losses)

    def root(self) -> JsonObject:
        """Return the whole strict schema. Raises `NoStrictFormError`, or `LossError` if it is lossless."""
        alternative, dropped = root_alternative(self._form)
        if dropped:
            self._lose((), dropped, f"Strict mode has no `{dropped}` at the root; toolgen still enforces it.")
        self._names[((),)] = "#"
        description = alternative.descriptions[0] if alternative.descriptions else None
        printed = _described(self._object(alternative, (), 0), description)
        return printed | ({"$defs": dict(sorted(self._defs.items()))} if self._defs else {})

    def _lose(self, path: JsonPath, keyword: str, reason: str, *, fatal: bool = False) -> None:
        self._add(Loss(path, keyword, reason, fatal))

    def _add(self, *losses: Loss) -> None:
        if losses and self._lossless:
            raise LossError
        self._losses.update(dict.fromkeys(losses))

    def _convert(self, location: ValueLocation, depth: int) -> JsonObject:
        self._subschemas += 1
        if depth > MAX_DEPTH or self._subschemas > MAX_SUBSCHEMAS:
            raise NoStrictFormError((), "$ref", "The schema is too large or too deep for strict mode.")
        target = self._form.target(location)
        if target is not None:
            self._form.alternatives(location)  # refuses a reference that leads only to itself
            return _described(self._reference((target,), depth), self._description(location))
        key = location_key(location)
        if key in self._in_progress:
            return self._reference(location, depth)
        self._in_progress.add(key)
        printed = self._inline(location, depth)
        self._in_progress.discard(key)
        if key in self._names:  # something inside refers to it
            name = self._names[key]
            self._defs[name] = printed
            return {"$ref": f"#/$defs/{name}"}
        return printed

    def _reference(self, location: ValueLocation, depth: int) -> JsonObject:
        key = location_key(location)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self._free_name(location[0])
            if key not in self._in_progress:
                self._in_progress.add(key)
                self._defs[name] = self._inline(location, depth)
                self._in_progress.discard(key)
        return {"$ref": "#" if name == "#" else f"#/$defs/{name}"}

    def _free_name(self, part: Subschema) -> str:
        last = str(part.path[-1]) if part.path else "root"
        return self._unique_names.add(ascii_name(last, "schema", hyphens=True))

    def _inline(self, location: ValueLocation, depth: int) -> JsonObject:
        if not is_restorable(self._form, location):
            reason = (
                "Which branch was meant cannot always be told from strict arguments, where absent is null."
            )
            self._lose(location[0].path, "anyOf", reason)
        description = self._description(location)
        union = self._form.union(location)
        if union is not None:
            printed = self._branches(location, union, depth)
        else:
            printed = [
                self._alternative(each, location[0].path, depth, outer=description)
                for each in self._form.alternatives(location)
            ]
        if not printed:
            raise NoStrictFormError(location[0].path, "type", "No value is accepted here.")
        return _described(_any_of(printed), description)

    def _branches(self, location: ValueLocation, union: Union, depth: int) -> list[JsonObject]:
        """Convert branches one by one, so that references among them stay references."""
        keyword, branches = union
        if keyword == "oneOf" and not self._form.are_disjoint(branches):
            self._add(overlapping_branches(location[0].path))
        return [self._convert(branch, depth + 1) for branch in branches if self._form.alternatives(branch)]

    def _description(self, location: ValueLocation) -> str | None:
        """Return the description of the location itself, not that of a branch or of a reference's target."""
        for part in location:
            if isinstance(part.schema, Mapping):
                text = part.schema.get("description")
                if isinstance(text, str) and text:
                    return text
        return None

    def _alternative(
        self, alternative: Alternative, path: JsonPath, depth: int, *, outer: str | None
    ) -> JsonObject:
        if alternative.type == "object" and alternative.values is None:
            printed = self._object(alternative, path, depth)
        else:
            self._add(*alternative.losses)
            printed = {"type": alternative.type, **alternative.keywords}
            if alternative.type == "array":
                printed |= self._array(alternative, path, depth)
            if alternative.values is not None:
                printed |= self._values(alternative, path)
        return _described(printed, next((text for text in alternative.descriptions if text != outer), None))

    def _values(self, alternative: Alternative, path: JsonPath) -> JsonObject:
        if alternative.type in ("object", "array"):
            reason = f"Strict mode lists no {alternative.type}s as values."
            self._lose(path, "const" if alternative.is_const else "enum", reason, fatal=True)
        assert alternative.values is not None
        if alternative.type == "null":
            return {}
        return (
            {"const": alternative.values[0]} if alternative.is_const else {"enum": list(alternative.values)}
        )

    def _array(self, alternative: Alternative, path: JsonPath, depth: int) -> JsonObject:
        if alternative.items is None:
            if alternative.values is None and not any(loss.fatal for loss in alternative.losses):
                self._lose(path, "items", "The items have no schema, and strict mode needs one.", fatal=True)
            return {}
        if not self._form.alternatives(alternative.items):
            raise NoStrictFormError(path, "items", "No item is accepted, and strict mode cannot say so.")
        return {"items": self._convert(alternative.items, depth + 1)}

    def _object(self, alternative: Alternative, path: JsonPath, depth: int) -> JsonObject:
        self._add(*alternative.losses)
        if self._lossless and alternative.undeclared == "unspecified":
            raise LossError  # whatever the properties are
        fields = self._form.properties(alternative)
        for name in sorted(alternative.required - fields.keys()):
            reason = f"{name!r} is required, and no schema says what it is."
            self._lose(path, "required", reason, fatal=True)
        if alternative.undeclared == "unspecified":
            if fields:
                self._lose(path, "additionalProperties", _UNDECLARED)
            else:
                reason = "An object without declared properties can only be empty in strict mode."
                self._lose(path, "properties", reason, fatal=True)
        for name in sorted(alternative.properties.keys() - fields.keys() - alternative.required):
            if all(part.schema is not False for part in alternative.properties[name]):
                self._lose(path, "properties", f"No value of {name!r} is accepted, so it is left out.")
        properties = {}
        for name, location in fields.items():
            printed = self._convert(location, depth + 1)
            properties[name] = printed if name in alternative.required else self._optional(location, printed)
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def _optional(self, location: ValueLocation, printed: JsonObject) -> JsonObject:
        if accepts_null(self._form, location):
            reason = (
                "It may be null and it may be absent; strict mode cannot tell these apart, and null is taken "
                "as absent."
            )
            self._lose(location[0].path, "type", reason)
            return printed
        description = printed.get("description")
        bare = {key: value for key, value in printed.items() if key != "description"}
        branches = bare["anyOf"] if bare.keys() == {"anyOf"} else [bare]
        return _described(_any_of([*branches, {"type": "null"}]), description)


def _described(printed: JsonObject, description: str | None) -> JsonObject:
    """Return `printed` with the description first. Nothing may be beside a `$ref`, so that is wrapped."""
    if description is None:
        return printed
    if "$ref" in printed:
        printed = {"anyOf": [printed]}
    return {
        "description": description,
        **{key: value for key, value in printed.items() if key != "description"},
    }


def _any_of(branches: list[JsonObject]) -> JsonObject:
    """Return a schema for any of `branches`; a type or null is a list of types, as OpenAI's guide has it."""
    if len(branches) == 1:
        return branches[0]
    if len(branches) == 2 and branches[1] == {"type": "null"}:
        first = branches[0]
        scalar = first.get("type") in ("string", "number", "integer", "boolean")
        if scalar and not {"const", "description"} & first.keys():
            nullable = first | {"type": [first["type"], "null"]}
            return nullable | ({"enum": [*first["enum"], None]} if "enum" in first else {})
    return {"anyOf": branches}
