"""Arguments as providers take them: no combinators at the root, and names of properties that they allow.

Both keep what the model is told of the arguments; the names are given back by `restorer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from toolgen.schema.document import Path, format_pointer, replace_refs, resolve_reference, subschemas
from toolgen.schema.loss import Loss
from toolgen.schema.providers import Provider

Schema = Mapping[str, Any]

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_LONGEST: Final = 64  # of a name; every provider that limits them allows so many


def plain_root(schema: Schema, provider: Provider) -> tuple[Schema, tuple[Loss, ...]]:
    """`schema` with a root that `provider` takes: properties of branches stand beside the root's own."""
    unwanted = [keyword for keyword in schema if keyword in provider.root]
    if not unwanted:
        return schema, ()
    losses = tuple(_loss(keyword) for keyword in unwanted)
    whole = _kept_for_references(schema, unwanted)
    branches = _Branches(whole)
    properties: dict[str, Any] = dict(whole.get("properties", {}))
    required = dict.fromkeys(whole.get("required", ()))
    for keyword in unwanted:
        if keyword in _LISTS:
            found, always = branches.gathered(whole[keyword], keyword == "allOf")
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
    return Loss(
        (),
        keyword,
        f"There must be no `{keyword}` at the root{more}; toolgen still enforces it.",
        always=True,
    )


def _kept_for_references(schema: Schema, unwanted: Iterable[str]) -> dict[str, Any]:
    """`schema` with references into what goes from the root leading to copies of it in `$defs`."""
    into = {keyword: format_pointer((keyword,)) for keyword in unwanted}
    refs: dict[Path, str] = {}
    kept: dict[str, Any] = {}
    for path, node in subschemas(schema):
        reference = node.get("$ref")
        for keyword, start in into.items():
            if isinstance(reference, str) and reference.startswith(f"#{start}/"):
                kept[f"root_{keyword}"] = schema[keyword]
                refs[path] = f"#/$defs/root_{keyword}/{keyword}{reference.removeprefix('#' + start)}"
    if not refs:
        return dict(schema)
    whole: dict[str, Any] = replace_refs(schema, refs)
    definitions = {name: {name.removeprefix("root_"): whole[name.removeprefix("root_")]} for name in kept}
    return {**whole, "$defs": {**whole.get("$defs", {}), **definitions}}


class _Branches:
    """The properties of branches, gathered once for each place that a reference leads to."""

    def __init__(self, whole: Schema) -> None:
        self._whole = whole
        self._known: dict[str, tuple[dict[str, Any], list[str]]] = {}

    def gathered(self, branches: Any, together: bool) -> tuple[dict[str, Any], list[str]]:
        """The properties of all branches, and the names that each of them requires (any, if `together`)."""
        properties: dict[str, Any] = {}
        needed: list[list[str]] = []
        for branch in branches if isinstance(branches, list) else ():
            found, always = self._branch(branch)
            _add(properties, found)
            needed.append(always)
        if together:
            return properties, list(dict.fromkeys(name for names in needed for name in names))
        common = set(needed[0]).intersection(*needed) if needed else set[str]()
        return properties, [name for name in needed[0] if name in common] if needed else []

    def _branch(self, branch: Any) -> tuple[dict[str, Any], list[str]]:
        if not isinstance(branch, Mapping):
            return {}, []
        properties: dict[str, Any] = {}
        required: dict[str, None] = {}
        _add(properties, branch.get("properties", {}))
        required |= dict.fromkeys(branch.get("required", ()))
        inner = [self._target(branch["$ref"])] if isinstance(branch.get("$ref"), str) else []
        inner += [self.gathered(branch[each], each == "allOf") for each in _LISTS if each in branch]
        for found, always in inner:
            _add(properties, found)
            required |= dict.fromkeys(always)
        return properties, list(required)

    def _target(self, reference: str) -> tuple[dict[str, Any], list[str]]:
        if reference not in self._known:
            self._known[reference] = ({}, [])  # for one that leads back to itself
            target = resolve_reference(self._whole, reference)
            self._known[reference] = self._branch(target[0]) if target else ({}, [])
        return self._known[reference]


def _add(properties: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Put `more` beside `properties`; what both have may be either."""
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


def allowed_names(schema: Schema, provider: Provider) -> tuple[Schema, tuple[Loss, ...]]:
    """`schema` with names of properties at the root that `provider` takes."""
    names = renamed(schema, provider)
    if not names:
        return schema, ()
    refs = {
        path: _led_to(node["$ref"], names)
        for path, node in subschemas(schema)
        if isinstance(node.get("$ref"), str) and node["$ref"].startswith("#/properties/")
    }
    whole = _free_name(schema)
    again = {path: f"#/$defs/{whole}" for path, node in subschemas(schema) if node.get("$ref") == "#"}
    made: dict[str, Any] = replace_refs(schema, {**refs, **again})
    if again:  # further in, the arguments have their own names
        inside = {key: value for key, value in made.items() if key not in ("$defs", "$schema")}
        made["$defs"] = {**made.get("$defs", {}), whole: inside}
    made["properties"] = {names.get(name, name): child for name, child in made["properties"].items()}
    if "required" in made:
        made["required"] = [names.get(name, name) for name in made["required"]]
    first = next(iter(names))
    reason = f"{_shown(names)} there; each gets its own name back when the tool is called."
    return made, (Loss(("properties",), first, reason, always=True),)


def _free_name(schema: Schema) -> str:
    name = "arguments"
    while name in schema.get("$defs", {}):
        name += "_"
    return name


def _shown(names: Mapping[str, str]) -> str:
    """What some arguments are called instead, the first of them by name."""
    told = [f"{name!r} is called {new!r}" for name, new in list(names.items())[:3]]
    more = len(names) - len(told)
    return ", ".join(told) + (f", and {more} more have other names" if more else "")


def renamed(schema: Schema, provider: Provider) -> dict[str, str]:
    """The author's name → the published one, of the arguments whose names `provider` does not take."""
    if provider.argument_name is None:
        return {}
    properties = schema.get("properties", {})
    fits = re.compile(provider.argument_name).fullmatch
    taken = {name for name in properties if fits(name)}
    names: dict[str, str] = {}
    for name in properties:
        if name in taken or name in names:
            continue
        stem = re.sub(r"[^a-zA-Z0-9_]", "_", name)[:_LONGEST] or "_"
        stem = stem if fits(stem) else f"_{stem}"[:_LONGEST]
        new, count = stem, 1
        while new in taken:
            count += 1
            new = f"{stem[: _LONGEST - len(str(count)) - 1]}_{count}"
        taken.add(new)
        names[name] = new
    return names


def _led_to(reference: str, names: Mapping[str, str]) -> str:
    step, slash, rest = reference.removeprefix("#/properties/").partition("/")
    name = unquote(step).replace("~1", "/").replace("~0", "~")
    return f"#/properties/{names[name]}{slash}{rest}" if name in names else reference


def restorer(names: Mapping[str, str]) -> Callable[[Any], Any] | None:
    """What gives arguments their own names back; None where they have them."""
    own = {new: name for name, new in names.items()}
    if not own:
        return None

    def restore(arguments: Any) -> Any:
        if not isinstance(arguments, dict):
            return arguments
        return {own.get(name, name): value for name, value in arguments.items()}

    return restore
