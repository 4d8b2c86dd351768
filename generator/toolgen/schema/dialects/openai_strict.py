"""OpenAI's strict mode: closed objects whose properties are all required, and arguments back.

A subschema is a union, a reference, or keywords of its own; what is beside a union or a reference is lost. An
optional property becomes one that may be null, so two branches that one value could satisfy are a loss, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from toolgen.schema.dialects.published import Loss
from toolgen.schema.document import (
    JsonObject,
    JsonPath,
    Located,
    SchemaDocument,
    as_list,
    is_type,
    value_key,
)
from toolgen.schema.keywords import ALL_REFERENCES, CONSTRAINING, FORMATS, IN_PLACE_LISTS
from toolgen.schema.providers import OPENAI_FORMATS, OPENAI_KEYWORDS, OPENAI_STRICT, ProviderNames, ascii_name

MAX_ALTERNATIVES: Final = 256
"""Maximum number of alternatives at one location; schemas with more are not converted to strict form."""
MAX_STEPS: Final = 200_000
"""Maximum number of alternatives that are compared for one schema."""
MAX_SUBSCHEMAS: Final = 4 * OPENAI_STRICT.properties
MAX_DEPTH: Final = 64
_UNIONS: Final = (["anyOf"], ["oneOf"])
_ORDER: Final = ("string", "boolean", "integer", "number", "null", "array", "object")
_STRUCTURAL: Final = frozenset(("properties", "required", "patternProperties", "items", "prefixItems"))
_ENFORCED: Final = "Strict mode cannot say `{}`; toolgen still enforces it."
_UNDECLARED: Final = (
    "Properties that are not declared cannot be sent; `additionalProperties: false` says that none are meant."
)
_OPEN: Final = "The object takes properties that are not declared; strict mode has only closed objects."
_AMBIGUOUS: Final = (
    "Which branch was meant cannot always be told from strict arguments, where absent is null."
)
_NULLABLE: Final = (
    "It may be null and it may be absent; strict mode cannot tell these apart, and null is taken as absent."
)
_DROPPED: Final[Mapping[str, tuple[str, ...]]] = {
    "object": (
        *("dependentRequired", "dependentSchemas", "dependencies", "propertyNames"),
        *("minProperties", "maxProperties"),
    ),
    "array": ("contains", "uniqueItems", "unevaluatedItems"),
    "string": ("minLength", "maxLength"),
}
"""Keywords that strict mode does not have, by the type that they constrain."""


class NoStrictFormError(Exception):
    """A schema that cannot be converted to strict form, with the reason as a fatal loss."""

    def __init__(self, path: JsonPath, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.loss = Loss(path, keyword, reason, fatal=True)


class Subschema(NamedTuple):
    """A subschema and its path in the author's schema."""

    schema: Any
    path: JsonPath


class Alternative(NamedTuple):
    """Values of one JSON type that a subschema accepts."""

    type: str
    schema: Mapping[str, Any]  # its own keywords apply: it is neither a union nor a reference
    path: JsonPath
    values: dict[object, Any] | None  # by `value_key`, of `enum` or `const`: nothing else is accepted

    @property
    def required(self) -> frozenset[str]:
        """Return the names of required properties."""
        return frozenset(self.schema.get("required", ()))

    @property
    def is_closed(self) -> bool:
        """True if properties that are not declared are refused."""
        closing = ("additionalProperties", "unevaluatedProperties")
        return next((self.schema[key] for key in closing if key in self.schema), None) is False

    def admits(self, value: object) -> bool:
        """True if `value` is of this type and, if values are listed, one of them."""
        is_listed = self.values is None or value_key(value) in self.values
        return is_type(value, self.type) and is_listed


class Alternatives:
    """The alternatives at the places of one author's schema, computed on demand."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document.plain
        self._known: dict[JsonPath, tuple[Alternative, ...] | None] = {}  # None: in progress
        self._steps = 0

    @property
    def root(self) -> Subschema:
        return Subschema(self._document.schema, ())

    def arguments(self) -> Alternative:
        """Return the object that the arguments are. Raises `NoStrictFormError` if they are not one object."""
        if not self._document.is_plain:
            raise NoStrictFormError((), "$dynamicRef", "What a reference names depends on the call.")
        found = self.of(self.root)
        if len(found) == 1 and found[0].type == "object":
            return found[0]
        raise NoStrictFormError(
            (), "type", "The arguments are not one plain object, and strict mode has no other."
        )

    def of(self, part: Subschema) -> tuple[Alternative, ...]:
        """Return every way to satisfy a subschema; none if no value can. Raises `NoStrictFormError`."""
        found = self._known.get(part.path, ())
        if found is None:
            reason = "The schema refers to itself without ever naming a value."
            raise NoStrictFormError(part.path, "$ref", reason)
        if not found:
            self._known[part.path] = None
            inner = self.inside(part)
            found = tuple(_own(part)) if inner is None else tuple(a for each in inner for a in self.of(each))
            if len(found) > MAX_ALTERNATIVES:
                reason = f"There are more than {MAX_ALTERNATIVES} ways to satisfy this schema."
                raise NoStrictFormError(part.path, "anyOf", reason)
            self._known[part.path] = found
        return found

    def inside(self, part: Subschema) -> list[Subschema] | None:
        """Return the branches of a union, or the target of a reference; None for keywords of its own."""
        schema, path = part
        if not isinstance(schema, Mapping):
            return None
        if (target := self.target(part)) is not None:
            return [target]
        own = [keyword for keyword in schema if keyword in CONSTRAINING]
        if own in _UNIONS or (own == ["allOf"] and len(schema["allOf"]) == 1):
            return [Subschema(each, (*path, own[0], i)) for i, each in enumerate(schema[own[0]])]
        return None

    def target(self, part: Subschema) -> Subschema | None:
        """Return what a subschema with a `$ref` refers to."""
        if not isinstance(part.schema, Mapping) or "$ref" not in part.schema:
            return None
        found = self._document.target(part.schema["$ref"])
        if not isinstance(found, Located):
            reason = f"{part.schema['$ref']!r} is not a place in this schema."
            raise NoStrictFormError(part.path, "$ref", reason)
        return Subschema(*found)

    def siblings(self, schema: Mapping[str, Any]) -> list[str]:
        """Return the keywords beside a `$ref` that constrain values."""
        keywords = schema if self._document.siblings_apply else ()
        return [keyword for keyword in keywords if keyword in CONSTRAINING and keyword != "$ref"]

    def properties(self, alternative: Alternative) -> dict[str, Subschema]:
        """Return the declared properties that can be present: not those whose schema accepts nothing."""
        path = (*alternative.path, "properties")
        declared = alternative.schema.get("properties", {})
        parts = {name: Subschema(child, (*path, name)) for name, child in declared.items()}
        return {name: part for name, part in parts.items() if self.of(part)}

    def accept_null(self, part: Subschema) -> bool:
        """True if the author's schema accepts null there."""
        return any(each.type == "null" for each in self.of(part))

    def items(self, alternative: Alternative) -> tuple[Alternative, ...]:
        """Return the alternatives of the items of an array."""
        if "items" not in alternative.schema:
            return ()
        return self.of(Subschema(alternative.schema["items"], (*alternative.path, "items")))

    def overlap(self, a: Alternative, b: Alternative) -> bool:
        """True if one value may satisfy both as their author wrote them."""
        self._count(a.path)
        if _differ_by_type(a, b):
            return False
        if not a.type == b.type == "object":
            return True
        left, right = self.properties(a), self.properties(b)
        excluded = (a.is_closed and b.required - left.keys()) or (b.is_closed and a.required - right.keys())
        return not excluded and not self._has_discriminator(a, b)

    def are_ambiguous(self, a: Alternative, b: Alternative, depth: int = 0) -> bool:
        """True if one value in strict form may satisfy both, which may mean other absent properties."""
        self._count(a.path)
        if depth > MAX_DEPTH:
            return True
        if a.path == b.path or a.type != b.type:
            return False
        if a.type == "array":
            items = self.items(b)
            return any(self.are_ambiguous(x, y, depth + 1) for x in self.items(a) for y in items)
        if a.type != "object" or self.properties(a).keys() != self.properties(b).keys():
            return False
        return not self._has_discriminator(a, b)

    def _has_discriminator(self, a: Alternative, b: Alternative) -> bool:
        """True if a property that both require has no value in common."""
        left, right = self.properties(a), self.properties(b)
        return any(
            all(_differ_by_type(x, y) for x in self.of(left[name]) for y in self.of(right[name]))
            for name in a.required & b.required & left.keys() & right.keys()
        )

    def _count(self, path: JsonPath) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise NoStrictFormError(path, "", "The schema is too complex for strict mode.")


def _differ_by_type(a: Alternative, b: Alternative) -> bool:
    """True if types, or listed values, exclude each other."""
    if a.type != b.type and not {a.type, b.type} <= {"integer", "number"}:
        return True
    return a.values is not None and b.values is not None and a.values.keys().isdisjoint(b.values)


def _own(part: Subschema) -> Iterator[Alternative]:
    """Yield one alternative for each JSON type that the keywords of a subschema allow."""
    schema, path = part
    if schema is False:
        return
    if not isinstance(schema, Mapping):
        schema = {}
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    types = as_list(schema.get("type")) or [schema.get("type") or _implied_type(schema, path, values)]
    if types == [""]:
        found = {next(name for name in _ORDER if is_type(value, name)) for value in values or ()}
        types = [name for name in _ORDER if name in found]
    for name in types:
        if name == "integer" and "number" in types:
            continue
        listed = None if values is None else {value_key(each): each for each in values if is_type(each, name)}
        if listed != {}:
            yield Alternative(name, schema, path, listed)


def _implied_type(schema: Mapping[str, Any], path: JsonPath, values: list[Any] | None) -> str:
    """Return the type of a schema that names none; empty if its values have types."""
    if values is not None:
        return ""
    if any(keyword in schema for keyword in ("properties", "required", "additionalProperties")):
        return "object"
    if "items" in schema:
        return "array"
    raise NoStrictFormError(path, "type", "There is no `type`, and strict mode needs one.")


class StrictConverter:
    """One conversion to strict form. `losses` are complete after `root`."""

    def __init__(self, document: SchemaDocument) -> None:
        self._form = Alternatives(document)
        self._losses: dict[Loss, None] = {}
        self._defs: dict[str, JsonObject] = {}
        self._names: dict[JsonPath, str] = {(): "#"}  # target of a reference → its name in `$defs`
        self._unique_names = ProviderNames()
        self._subschemas = 0

    @property
    def losses(self) -> tuple[Loss, ...]:
        return tuple(self._losses)

    def root(self) -> JsonObject:
        """Return the whole strict schema. Raises `NoStrictFormError`."""
        printed = self._alternative(self._form.arguments(), 0)
        printed = _described(printed, self._form.root.schema)
        return printed | ({"$defs": dict(sorted(self._defs.items()))} if self._defs else {})

    def _lose(self, path: JsonPath, keyword: str, reason: str, *, fatal: bool = False) -> None:
        self._losses[Loss(path, keyword, reason, fatal)] = None

    def _convert(self, part: Subschema, depth: int) -> JsonObject:
        self._subschemas += 1
        if depth > MAX_DEPTH or self._subschemas > MAX_SUBSCHEMAS:
            raise NoStrictFormError((), "$ref", "The schema is too large or too deep for strict mode.")
        alternatives, inner = self._form.of(part), self._form.inside(part)
        if not alternatives:
            raise NoStrictFormError(part.path, "type", "No value is accepted here.")
        if inner is None:
            printed = [self._alternative(each, depth) for each in alternatives]
        elif "$ref" in part.schema:
            for keyword in self._form.siblings(part.schema):
                self._lose(part.path, keyword, _ENFORCED.format(keyword), fatal=keyword in _STRUCTURAL)
            printed = [self._reference(inner[0], depth)]
        else:
            printed = [self._convert(each, depth + 1) for each in inner if self._form.of(each)]
            self._check_union(part, inner)
        return _described(_any_of(printed), part.schema)

    def _check_union(self, part: Subschema, branches: Sequence[Subschema]) -> None:
        found = [self._form.of(each) for each in branches]
        pairs = [(a, b) for left, right in combinations(found, 2) for a in left for b in right]
        if "oneOf" in part.schema and any(self._form.overlap(a, b) for a, b in pairs):
            reason = "A value may fit several branches: strict mode knows only `anyOf`."
            self._lose(part.path, "oneOf", reason)
        if any(self._form.are_ambiguous(a, b) for a, b in pairs if a.type in ("object", "array")):
            self._lose(part.path, "anyOf", _AMBIGUOUS)

    def _reference(self, target: Subschema, depth: int) -> JsonObject:
        name = self._names.get(target.path)
        if name is None:
            name = self._unique_names.add(ascii_name(str(target.path[-1]), "schema", hyphens=True))
            self._names[target.path] = name
            self._defs[name] = self._convert(target, depth + 1)
        return {"$ref": "#" if name == "#" else f"#/$defs/{name}"}

    def _alternative(self, alternative: Alternative, depth: int) -> JsonObject:
        name, schema, path, values = alternative
        self._check_keywords(name, schema, path)
        if name == "object" and values is None:
            return self._object(alternative, depth)
        keywords = {key: value for key, value in schema.items() if key in OPENAI_KEYWORDS[name]}
        if keywords.get("format", "date") not in OPENAI_FORMATS:
            del keywords["format"]
            if schema["format"] in FORMATS:
                reason = f"Strict mode has no format {schema['format']!r}; toolgen still enforces it."
                self._lose(path, "format", reason)
        printed = {"type": name, **keywords}
        if name == "array":
            printed |= self._items(schema, path, depth)
        if values is not None:
            keyword = "const" if "const" in schema else "enum"
            if name in ("object", "array"):
                self._lose(path, keyword, f"Strict mode lists no {name}s as values.", fatal=True)
            if name != "null":
                printed[keyword] = schema[keyword] if keyword == "const" else list(values.values())
        return printed

    def _check_keywords(self, name: str, schema: Mapping[str, Any], path: JsonPath) -> None:
        """Report what strict mode cannot say of a type."""
        if "type" not in schema and "const" not in schema and "enum" not in schema:
            reason = f"There is no `type`: strict mode accepts only {name}s here."
            self._lose(path, "type", reason)
        for keyword in (*_DROPPED.get(name, ()), "not", "if"):
            # `uniqueItems: false` and `minLength: 0` constrain nothing
            if keyword in schema and (keyword == "not" or schema[keyword] not in (False, 0)):
                self._lose(path, keyword, _ENFORCED.format(keyword))
        for keyword in sorted(IN_PLACE_LISTS & schema.keys()):
            self._lose(path, keyword, _ENFORCED.format(keyword), fatal=_declares(schema, keyword))
        for keyword in ALL_REFERENCES:
            if keyword in schema:
                self._lose(path, keyword, f"Strict mode has no `{keyword}`.", fatal=True)
        if "const" in schema and "enum" in schema:
            self._lose(path, "enum", _ENFORCED.format("enum"))

    def _items(self, schema: Mapping[str, Any], path: JsonPath, depth: int) -> JsonObject:
        items = schema.get("items")
        if "prefixItems" in schema or isinstance(items, list):
            keyword = "prefixItems" if "prefixItems" in schema else "items"
            self._lose(path, keyword, "Strict mode has no positional items.", fatal=True)
            return {}
        if items is None:
            self._lose(path, "items", "The items have no schema, and strict mode needs one.", fatal=True)
            return {}
        return {"items": self._convert(Subschema(items, (*path, "items")), depth + 1)}

    def _object(self, alternative: Alternative, depth: int) -> JsonObject:
        _, schema, path, _ = alternative
        self._check_undeclared(alternative)
        fields, required = self._form.properties(alternative), alternative.required
        for name in sorted(required - fields.keys()):
            reason = f"{name!r} is required, and no schema says what it is."
            self._lose(path, "required", reason, fatal=True)
        for name, child in schema.get("properties", {}).items():
            if name not in fields and name not in required and child is not False:
                self._lose(path, "properties", f"No value of {name!r} is accepted, so it is left out.")
        properties = {}
        for name, part in fields.items():
            printed = self._convert(part, depth + 1)
            properties[name] = printed if name in required else self._optional(part, printed)
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def _check_undeclared(self, alternative: Alternative) -> None:
        """Report properties that are not declared: strict mode has only closed objects."""
        _, schema, path, _ = alternative
        if patterns := schema.get("patternProperties"):
            is_fatal = any(child is not False for child in patterns.values())
            reason = "Strict mode has no properties whose names are not known."
            self._lose(path, "patternProperties", reason, fatal=is_fatal)
        if alternative.is_closed:
            return
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if keyword in schema:
                self._lose(path, keyword, _OPEN, fatal=True)
                return
        if schema.get("properties"):
            self._lose(path, "additionalProperties", _UNDECLARED)
        else:
            reason = "An object without declared properties can only be empty in strict mode."
            self._lose(path, "properties", reason, fatal=True)

    def _optional(self, part: Subschema, printed: JsonObject) -> JsonObject:
        if self._form.accept_null(part):
            self._lose(part.path, "type", _NULLABLE)
            return printed
        bare = {key: value for key, value in printed.items() if key != "description"}
        branches = bare["anyOf"] if bare.keys() == {"anyOf"} else [bare]
        return _described(_any_of([*branches, {"type": "null"}]), printed)


def _declares(schema: Mapping[str, Any], keyword: str) -> bool:
    """True if branches beside other keywords may have properties of their own, or nothing else has a type."""
    known = schema.get("properties", {}).keys()
    return any(
        not isinstance(branch, Mapping)
        or not {"$ref", *IN_PLACE_LISTS}.isdisjoint(branch)
        or not {*branch.get("properties", ()), *branch.get("required", ())} <= known
        for branch in schema[keyword]
    )


def _described(printed: JsonObject, schema: Any) -> JsonObject:
    """Return `printed` with the description of `schema` first, a `$ref` wrapped: it may have no sibling."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    if not isinstance(text, str) or not text:
        return printed
    if "$ref" in printed:
        printed = {"anyOf": [printed]}
    return {"description": text, **{key: value for key, value in printed.items() if key != "description"}}


def _any_of(branches: list[JsonObject]) -> JsonObject:
    """Return a schema for any of `branches`; a type or null is a list of types, as OpenAI's guide has it."""
    if len(branches) == 1:
        return branches[0]
    first = branches[0]
    is_scalar = first.get("type") in ("string", "number", "integer", "boolean")
    if branches[1:] == [{"type": "null"}] and is_scalar and not {"const", "description"} & first.keys():
        nullable = first | {"type": [first["type"], "null"]}
        return nullable | ({"enum": [*first["enum"], None]} if "enum" in first else {})
    return {"anyOf": branches}


# Arguments


def restorer(document: SchemaDocument) -> Callable[[Any], Any]:
    """Return a function that removes nulls of optional properties, which the strict form of a schema adds."""
    form = Alternatives(document)

    def restore_arguments(arguments: Any) -> Any:
        try:
            return _restored(form, [form.arguments()], arguments)
        except NoStrictFormError:  # nothing was converted, so there is nothing to restore
            return arguments

    return restore_arguments


def _restored(form: Alternatives, alternatives: Sequence[Alternative], value: Any) -> Any:
    chosen = _choose(form, alternatives, value) if isinstance(value, dict | list) else None
    if chosen is None:
        return value
    if isinstance(value, list):
        items = form.items(chosen)
        return [_restored(form, items, each) for each in value]
    properties = form.properties(chosen)
    return {
        name: _restored(form, form.of(properties[name]), each) if name in properties else each
        for name, each in value.items()
        # A model has no other word for "nothing", so null of a nullable property is absent, too: a tool must
        # not clear what the call did not speak of.
        if each is not None or name not in properties or name in chosen.required
    }


def _choose(form: Alternatives, alternatives: Sequence[Alternative], value: Any) -> Alternative | None:
    """Return the alternative that `value` was written for: the only one, or the first that it matches."""
    json_type = "object" if isinstance(value, dict) else "array"
    candidates = [each for each in alternatives if each.type == json_type]
    if len(candidates) == 1:
        return candidates[0]
    found = (
        each for exact in (True, False) for each in candidates if _matches(form, each, value, exact=exact)
    )
    return next(found, None)


def _matches(form: Alternatives, alternative: Alternative, value: Any, *, exact: bool) -> bool:
    """True if `value` has the shape of `alternative`: in strict form or, if not `exact`, with absences."""
    if not alternative.admits(value):
        return False
    if isinstance(value, list) and "items" in alternative.schema:
        items = form.items(alternative)
        return all(any(_matches(form, item, each, exact=exact) for item in items) for each in value)
    if not isinstance(value, dict):
        return True
    properties, required = form.properties(alternative), alternative.required
    missing = properties.keys() - value.keys()
    if value.keys() - properties.keys() or (missing if exact else missing & required):
        return False
    return all(
        (each is None and name not in required)
        or any(_matches(form, inner, each, exact=exact) for inner in form.of(properties[name]))
        for name, each in value.items()
    )
