"""Package to models: a module for every tool, and one for every shared file, as the templates print them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from types import MappingProxyType

from toolgen.data.package import Package, Tool
from toolgen.data.program import SharedFile
from toolgen.models.ambiguous_unions import resolve_ambiguous_unions
from toolgen.models.class_builder import ModelClass, UnnamedClasses, root_classes
from toolgen.models.class_names import longer_name
from toolgen.models.engine import EngineModule, engine_version, print_modules
from toolgen.models.module_source import (
    ModelModules,
    ModuleSource,
    engine_source,
    is_root_model,
    module_source,
)
from toolgen.models.shapes import classes_in
from toolgen.models.shared_classes import (
    ModuleClasses,
    SharedClasses,
    shared_classes,
    with_renamed_classes,
)
from toolgen.schema.document import Schema

_RULES = 5  # raised when the engine prints the same classes otherwise than before


def model_modules(
    package: Package,
    cache: MutableMapping[str, bytes],
    shared: Mapping[str, SharedFile] = MappingProxyType({}),
) -> ModelModules:
    """Return the modules `models/<tool>.py` and `models/shared/<file>.py` of a package.

    `shared` has the shared files by path, those that others use included. The model engine prints the few
    modules that the template cannot. `cache` (a dict will do) gets those that it does not have. Raises
    `EngineBug`, never for a fault of the author.
    """
    classes = shared_classes(shared)
    tools = {tool.py_name: tool_classes(tool, classes) for tool in package.tools}
    files = {file.path: classes.modules[file.path] for file in package.shared}
    sources = iter(_sources([*tools.values(), *files.values()], cache))
    return ModelModules({name: next(sources) for name in tools}, {path: next(sources) for path in files})


def _sources(modules: Sequence[ModuleClasses], cache: MutableMapping[str, bytes]) -> list[ModuleSource]:
    found = [module_source(each) for each in modules]
    unusual = [each for each, source in zip(modules, found, strict=True) if source is None]
    printed = map(engine_source, unusual, _printed(unusual, cache))
    return [next(printed) if source is None else source for source in found]


def _printed(modules: Sequence[ModuleClasses], cache: MutableMapping[str, bytes]) -> list[str]:
    """Return what the model engine prints for each module."""
    asked = list(map(engine_module, modules))
    keys = [sha256("\n".join(_key(each)).encode("utf-8", "surrogatepass")).hexdigest() for each in asked]
    printed = {key: found.decode() for key in keys if (found := cache.get(key)) is not None}
    missing = {key: each for key, each in zip(keys, asked, strict=True) if key not in printed}
    for key, text in zip(missing, print_modules(list(missing.values())), strict=True):
        printed[key] = text
        cache[key] = text.encode()
    return [printed[key] for key in keys]


def engine_module(made: ModuleClasses) -> EngineModule:
    """Return what the model engine is asked for to print the classes."""
    plain = made.without_types()
    return EngineModule(plain.classes, frozenset(plain.imported))


def _key(module: EngineModule) -> Iterator[str]:
    yield f"models {_RULES} {engine_version()} {sorted(module.imported)}"
    for name, made in module.classes.items():
        yield json.dumps([name, made.shape, dict(made.names), dict(made.docs), made.doc])


def tool_classes(tool: Tool, shared: SharedClasses | None = None) -> ModuleClasses:
    """Return the classes of a tool: equal classes of its schemas are one, others have two names.

    Schemas that are in a shared file have the class of `shared`.
    """
    shared = shared or SharedClasses()
    parts = list(_parts(tool, shared))
    own = (tool.request_class, tool.response_class, tool.chunk_class, tool.tool_class)
    reserved = {name for name in own if name}
    imported = shared.local_names({key for part in parts for key in part.unnamed.shared}, reserved)
    classes: dict[str, ModelClass] = {}
    aliases: dict[str, ModelClass] = {}
    for part in parts:
        made = part.classes({*reserved, *imported.values()}, shared)
        made = _disambiguated(made, classes, part.name)
        if part.name == tool.chunk_class and is_root_model(made[part.name]):
            aliases[part.name] = made.pop(part.name)  # implementations yield plain values
        classes |= made
    return shared.module(classes, aliases, taken={*reserved, *classes})


@dataclass(frozen=True, slots=True)
class _Part:
    """A schema of a tool."""

    name: str  # of its class
    doc: str  # of its class, if the schema has no description
    unnamed: UnnamedClasses

    def classes(self, reserved: Iterable[str], shared: SharedClasses) -> dict[str, ModelClass]:
        """Return the classes by name; those that are nested have no name in `reserved`."""
        classes = self.unnamed.named(self.unnamed.choose_names(reserved))
        classes = resolve_ambiguous_unions(classes, (self.name,), shared.content)
        if not classes[self.name].doc:
            classes[self.name] = replace(classes[self.name], doc=self.doc)
        return classes


def _parts(tool: Tool, shared: SharedClasses) -> Iterator[_Part]:
    """Yield the request, the response and the chunk of a tool; only the request has defaults."""
    schemas: list[tuple[str, str | None, Schema | None, str]] = [
        ("input_schema", tool.request_class, tool.input_schema, "The request of"),
        ("output_schema", tool.response_class, tool.output_schema, "The response of"),
        ("chunk_schema", tool.chunk_class, _chunk_schema(tool), "One chunk of the result of"),
    ]
    for key, name, schema, text in schemas:
        if name is not None and schema is not None:
            classes = root_classes(
                schema, name, defaults=key == "input_schema", shared=shared.of(tool.origins.get(key, {}))
            )
            yield _Part(name, f"{text} `{tool.wire_name}`.", classes)


def _chunk_schema(tool: Tool) -> Schema | None:
    stream = tool.definition.get("stream")
    return stream["chunk_schema"] if stream else None


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
    return {names.get(name, name): with_renamed_classes(made, names) for name, made in classes.items()}
