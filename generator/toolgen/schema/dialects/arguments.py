"""The root of an input schema as providers take it: without combinators, with property names that they allow.

The published schema still describes all properties. `property_names_restorer` gives arguments their own names
back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.schema.dialects.published import Loss, Restorer
from toolgen.schema.document import (
    JsonPath,
    Located,
    Schema,
    SchemaDocument,
    format_pointer,
    replace_refs,
    subschemas,
)
from toolgen.schema.providers import MAX_ARGUMENT_NAME, ProviderLimits, ProviderNames, ascii_name

_LISTS: Final = ("allOf", "anyOf", "oneOf")

Properties = dict[str, Any]


def flatten_root(schema: Schema, provider: ProviderLimits) -> tuple[Schema, tuple[Loss, ...]]:
    """Return `schema` without the keywords that `provider` refuses at the root.

    Properties of their branches are put beside the root's own.
    """
    unwanted = [keyword for keyword in schema if keyword in provider.root]
    if not unwanted:
        return schema, ()
    losses = tuple(_loss(keyword) for keyword in unwanted)
    whole = _with_referenced_branches(_document_of(schema), unwanted)
    plain = SchemaDocument(whole).plain
    branches = _Branches(plain)
    properties: Properties = dict(whole.get("properties", {}))
    required = dict.fromkeys(whole.get("required", ()))
    for keyword in unwanted:
        if keyword in _LISTS:
            found, always = branches.collect(plain.schema[keyword], is_all_of=keyword == "allOf")
            if schema.get("additionalProperties") is not False:
                _add(properties, found)
            required |= dict.fromkeys(always)
    made = {key: value for key, value in whole.items() if key not in unwanted}
    if properties:
        made["properties"] = properties
    if required:
        made["required"] = list(required)
    return made, losses


def _loss(keyword: str) -> Loss:
    more = "; the properties of its branches stand at the root" if keyword in _LISTS else ""
    reason = f"There must be no `{keyword}` at the root{more}; toolgen still enforces it."
    return Loss((), keyword, reason, always=True)


def _document_of(schema: Schema) -> SchemaDocument:
    """Return the document of `schema`, in which `#` means the root in every reference."""
    document = SchemaDocument(schema)
    is_moved = any(document.resource_of(path) for path, node in subschemas(schema) if "$ref" in node)
    return document.rewritten if is_moved else document


def _references(document: SchemaDocument) -> Iterator[tuple[JsonPath, JsonPath]]:
    """Yield the path of each subschema with a `$ref`, and that of its target."""
    for path, node in subschemas(document.schema):
        target = document.target(node.get("$ref"), path)
        if isinstance(target, Located):
            yield path, target.path


def _with_referenced_branches(document: SchemaDocument, unwanted: Sequence[str | int]) -> dict[str, Any]:
    """Return a schema with references into keywords that are removed leading to copies of them in `$defs`."""
    refs: dict[JsonPath, str] = {}
    referenced: dict[str, str] = {}  # name in `$defs` → keyword
    for path, target in _references(document):
        if target and target[0] in unwanted:
            name = f"root_{target[0]}"
            referenced[name] = str(target[0])
            refs[path] = "#" + format_pointer(("$defs", name, *target))
    if not refs:
        return dict(document.schema)
    whole: dict[str, Any] = replace_refs(document.schema, refs)
    definitions = {name: {keyword: whole[keyword]} for name, keyword in referenced.items()}
    return {**whole, "$defs": {**whole.get("$defs", {}), **definitions}}


class _Branches:
    """The properties of branches, collected once for each target of a reference."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._known: dict[str, tuple[Properties, list[str]]] = {}

    def collect(self, branches: Any, *, is_all_of: bool) -> tuple[Properties, list[str]]:
        """Return the properties of all branches, and the names that are required.

        These are the names that every branch requires or, if `is_all_of`, that any branch does.
        """
        properties: Properties = {}
        needed: list[list[str]] = []
        for branch in branches if isinstance(branches, list) else ():
            found, always = self._branch(branch)
            _add(properties, found)
            needed.append(always)
        if is_all_of:
            return properties, list(dict.fromkeys(name for names in needed for name in names))
        common = set(needed[0]).intersection(*needed) if needed else set[str]()
        return properties, [name for name in needed[0] if name in common] if needed else []

    def _branch(self, branch: Any) -> tuple[Properties, list[str]]:
        if not isinstance(branch, Mapping):
            return {}, []
        properties: Properties = {}
        required: dict[str, None] = {}
        _add(properties, branch.get("properties", {}))
        required |= dict.fromkeys(branch.get("required", ()))
        inner = [self._target(branch["$ref"])] if isinstance(branch.get("$ref"), str) else []
        inner += [self.collect(branch[each], is_all_of=each == "allOf") for each in _LISTS if each in branch]
        for found, always in inner:
            _add(properties, found)
            required |= dict.fromkeys(always)
        return properties, list(required)

    def _target(self, reference: str) -> tuple[Properties, list[str]]:
        if reference not in self._known:
            self._known[reference] = ({}, [])  # for a reference that leads back to itself
            self._known[reference] = self._branch(self._document.target(reference).value)
        return self._known[reference]


def _add(properties: Properties, more: Mapping[str, Any]) -> None:
    """Add `more` to `properties`. A property of both may satisfy either schema."""
    for name, schema in more.items():
        if name not in properties:
            properties[name] = schema
        elif schema not in (properties[name], True, {}):
            properties[name] = _either(properties[name], schema)


def _either(one: Any, other: Any) -> Any:
    if one in (True, {}):
        return other
    known = one["anyOf"] if isinstance(one, Mapping) and one.keys() == {"anyOf"} else [one]
    return one if other in known else {"anyOf": [*known, other]}


def rename_properties(schema: Schema, renames: Mapping[str, str]) -> tuple[Schema, tuple[Loss, ...]]:
    """Return `schema` with the properties at its root renamed, see `property_renames`."""
    if not renames:
        return schema, ()
    document = _document_of(schema)
    whole = ProviderNames(document.schema.get("$defs", ())).add("arguments")
    refs = {
        path: "#" + format_pointer(("properties", renames.get(str(target[1]), target[1]), *target[2:]))
        for path, target in _references(document)
        if target[:1] == ("properties",) and len(target) > 1
    }
    to_root = {path: f"#/$defs/{whole}" for path, target in _references(document) if not target}
    made: dict[str, Any] = replace_refs(document.schema, {**refs, **to_root})
    if to_root:  # only the arguments themselves are renamed, not objects inside that have the same schema
        inside = {key: value for key, value in made.items() if key not in ("$defs", "$schema")}
        made["$defs"] = {**made.get("$defs", {}), whole: inside}
    made["properties"] = {renames.get(name, name): child for name, child in made["properties"].items()}
    if "required" in made:
        made["required"] = [renames.get(name, name) for name in made["required"]]
    first = next(iter(renames))
    reason = f"{_describe_renames(renames)} there; each gets its own name back when the tool is called."
    return made, (Loss(("properties",), first, reason, always=True),)


def _describe_renames(renames: Mapping[str, str]) -> str:
    shown = [f"{name!r} is called {new!r}" for name, new in list(renames.items())[:3]]
    more = len(renames) - len(shown)
    return ", ".join(shown) + (f", and {more} more have other names" if more else "")


def property_renames(schema: Schema, provider: ProviderLimits) -> dict[str, str]:
    """Return the published name of each property at the root whose own name `provider` refuses."""
    if provider.argument_name is None:
        return {}
    properties = schema.get("properties", {})
    is_allowed = re.compile(provider.argument_name).fullmatch
    allowed = {name for name in properties if is_allowed(name)}
    names = ProviderNames(allowed, limit=MAX_ARGUMENT_NAME)
    renames: dict[str, str] = {}
    for name in properties:
        if name not in allowed:
            new = ascii_name(name, "_", limit=MAX_ARGUMENT_NAME)
            renames[name] = names.add(new if is_allowed(new) else f"_{new}"[:MAX_ARGUMENT_NAME])
    return renames


def property_names_restorer(renames: Mapping[str, str]) -> Restorer | None:
    """Return a function that gives arguments their own names back; None if none was renamed."""
    own_names = {new: name for name, new in renames.items()}
    if not own_names:
        return None

    def restore(arguments: Any) -> Any:
        if not isinstance(arguments, dict):
            return arguments
        return {own_names.get(name, name): value for name, value in arguments.items()}

    return restore
