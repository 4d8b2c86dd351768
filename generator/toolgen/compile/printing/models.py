"""Package to the models of every tool: a module with its request and response, as the template prints it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from hashlib import sha256

from toolgen.data.package import Package, Tool
from toolgen.models.ambiguous_unions import resolve_ambiguous_unions
from toolgen.models.class_builder import ModelClass, model_classes
from toolgen.models.class_names import longer_name
from toolgen.models.engine import engine_version, print_modules
from toolgen.models.module_source import (
    ModuleSource,
    ToolClasses,
    engine_source,
    is_plain,
    is_root_model,
    module_source,
)
from toolgen.models.shapes import classes_in, renamed
from toolgen.schema.document import Schema

_RULES = 3  # raised when the engine prints the same classes otherwise than before


def model_modules(package: Package, cache: MutableMapping[str, bytes]) -> dict[str, ModuleSource]:
    """Return the module `models/<tool>.py` of every tool by the tool's Python name.

    The model engine prints the few modules that the template cannot. `cache` (a dict will do) gets those that
    it does not have. Raises `EngineBug`, never for a fault of the author.
    """
    made = {tool.py_name: tool_classes(tool) for tool in package.tools}
    plain = {name: each for name, each in made.items() if is_plain(each.classes)}
    printed = _printed({name: each.classes for name, each in made.items() if name not in plain}, cache)
    return {
        name: module_source(each) if name in plain else engine_source(each, printed[name])
        for name, each in made.items()
    }


def _printed(
    modules: Mapping[str, Mapping[str, ModelClass]], cache: MutableMapping[str, bytes]
) -> dict[str, str]:
    """Return what the model engine prints for each module."""
    keys = {
        name: sha256("\n".join(_key(classes)).encode("utf-8", "surrogatepass")).hexdigest()
        for name, classes in modules.items()
    }
    printed = {name: found.decode() for name, key in keys.items() if (found := cache.get(key)) is not None}
    missing = [name for name in modules if name not in printed]
    for name, text in zip(missing, print_modules([modules[name] for name in missing]), strict=True):
        printed[name] = text
        cache[keys[name]] = text.encode()
    return printed


def _key(classes: Mapping[str, ModelClass]) -> Iterator[str]:
    yield f"models {_RULES} {engine_version()}"
    for name, made in classes.items():
        yield json.dumps([name, made.shape, dict(made.names), dict(made.docs), made.doc])


def tool_classes(tool: Tool) -> ToolClasses:
    """Return the classes of a tool: equal classes of its schemas are one, others have two names."""
    names = (tool.request_class, tool.response_class, tool.chunk_class)
    reserved = frozenset({name for name in names if name} | {tool.tool_class})
    request = (tool.request_class, tool.input_schema, f"The request of `{tool.wire_name}`.")
    classes = _classes(*request, reserved=reserved, defaults=True)
    if tool.response_class is not None and tool.output_schema is not None:
        response = (tool.response_class, tool.output_schema, f"The response of `{tool.wire_name}`.")
        answered = _classes(*response, reserved=reserved)
        classes |= _disambiguated(answered, classes, tool.response_class)
    aliases: dict[str, ModelClass] = {}
    if tool.chunk_class is not None:
        schema = tool.definition["stream"]["chunk_schema"]
        chunk = (tool.chunk_class, schema, f"One chunk of the result of `{tool.wire_name}`.")
        streamed = _disambiguated(_classes(*chunk, reserved=reserved), classes, tool.chunk_class)
        if is_root_model(streamed[tool.chunk_class]):  # implementations yield plain values
            aliases[tool.chunk_class] = streamed.pop(tool.chunk_class)
        classes |= streamed
    return ToolClasses(classes, aliases)


def _classes(
    root: str, schema: Schema, doc: str, *, reserved: frozenset[str], defaults: bool = False
) -> dict[str, ModelClass]:
    """Return the classes of one schema; `doc` is the docstring of `root` if the schema has no description."""
    classes = model_classes(schema, root, reserved - {root}, defaults)
    classes = resolve_ambiguous_unions(classes, (root,))
    if not classes[root].doc:
        classes[root] = replace(classes[root], doc=doc)
    return classes


def _disambiguated(
    classes: Mapping[str, ModelClass], others: Mapping[str, ModelClass], root: str
) -> dict[str, ModelClass]:
    """Return `classes`, renamed where `others` has another class of that name."""
    differing = {name for name in classes.keys() & others.keys() if classes[name] != others[name]}
    while more := {
        name
        for name in (classes.keys() & others.keys()) - differing
        if differing.intersection(classes_in(classes[name].shape))
    }:
        differing |= more
    taken = {*classes, *others}
    names: dict[str, str] = {}
    for name in sorted(differing):
        names[name] = longer_name(name, classes[name].ancestors or (root,), taken)
        taken.add(names[name])
    return {
        names.get(name, name): replace(made, shape=renamed(made.shape, names))
        for name, made in classes.items()
    }
