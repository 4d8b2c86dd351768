"""Package to the models of every tool: a module with its request and response, as the template prints it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from hashlib import sha256

from toolgen.data.package import Package, Tool
from toolgen.models.ambiguous_unions import resolve_ambiguous_unions
from toolgen.models.class_builder import ModelClass, model_classes
from toolgen.models.engine import engine_version, print_modules
from toolgen.models.module_source import ModuleSource, module_source
from toolgen.models.shapes import classes_in, renamed
from toolgen.python_source.names import unique_name

_RULES = 2  # raised when the engine prints the same classes otherwise than before


def model_modules(package: Package, cache: MutableMapping[str, bytes]) -> dict[str, ModuleSource]:
    """Return the module `models/<tool>.py` of every tool by the tool's Python name.

    The model engine prints the few modules that the template cannot. `cache` (a dict will do) gets those that
    it does not have. Raises `EngineBug`, never for a fault of the author.
    """
    classes = {tool.py_name: tool_classes(tool) for tool in package.tools}
    sources = {name: module_source(made) for name, made in classes.items()}
    printed = _printed({name: classes[name] for name, source in sources.items() if source is None}, cache)
    return {
        name: source if source is not None else ModuleSource(printed=printed[name])
        for name, source in sources.items()
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


def tool_classes(tool: Tool) -> dict[str, ModelClass]:
    """Return the classes of request and response: equal classes of both are one, others have two names."""
    reserved = frozenset({tool.request_class, tool.response_class or "", tool.tool_class})
    asked = resolve_ambiguous_unions(
        model_classes(tool.input_schema, tool.request_class, reserved - {tool.request_class}, defaults=True),
        (tool.request_class,),
    )
    _document(asked, tool.request_class, f"The request of `{tool.wire_name}`.")
    if tool.output_schema is None or tool.response_class is None:
        return asked
    answered = resolve_ambiguous_unions(
        model_classes(
            tool.output_schema, tool.response_class, reserved - {tool.response_class}, defaults=False
        ),
        (tool.response_class,),
    )
    _document(answered, tool.response_class, f"The response of `{tool.wire_name}`.")
    return asked | _disambiguated(answered, asked, tool.response_class)


def _document(classes: dict[str, ModelClass], root: str, doc: str) -> None:
    if not classes[root].doc:
        classes[root] = replace(classes[root], doc=doc)


def _disambiguated(
    classes: Mapping[str, ModelClass], others: Mapping[str, ModelClass], prefix: str
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
        names[name] = unique_name(prefix + name, taken)
        taken.add(names[name])
    return {
        names.get(name, name): replace(made, shape=renamed(made.shape, names))
        for name, made in classes.items()
    }
