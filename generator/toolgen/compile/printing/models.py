"""Package to classes: a module of models for every tool, and one for every shared file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from toolgen.compile.models.ambiguous_unions import resolve_ambiguous_unions
from toolgen.compile.models.class_builder import UnnamedClasses, root_classes
from toolgen.compile.models.class_names import longer_name
from toolgen.compile.models.model_classes import ModelClass
from toolgen.compile.models.shared_classes import ModuleClasses, SharedClasses, shared_classes
from toolgen.language.package import Package, Tool
from toolgen.language.program import SharedFile


@dataclass(frozen=True, slots=True)
class PackageClasses:
    """The classes of a package: of tools by the tools' Python names, of shared files by the files' paths."""

    tools: Mapping[str, ModuleClasses]
    shared: Mapping[str, ModuleClasses]


def package_classes(package: Package, shared: Mapping[str, SharedFile]) -> PackageClasses:
    """Return the classes of the modules `models/<tool>.py` and `models/shared/<file>.py`.

    `shared` has the shared files by path, those that others use included.
    """
    classes = shared_classes(shared)
    return PackageClasses(
        {tool.py_name: tool_classes(tool, classes) for tool in package.tools},
        {file.path: classes.modules[file.path] for file in package.shared},
    )


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
        if part.name == tool.chunk_class and made[part.name].is_root_model:
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
    """Yield the request, the response and the chunk of a tool."""
    for key, name, text in (
        ("input_schema", tool.request_class, "The request of"),
        ("output_schema", tool.response_class, "The response of"),
        ("chunk_schema", tool.chunk_class, "One chunk of the result of"),
    ):
        if name is not None and key in tool.documents:
            classes = root_classes(
                tool.documents[key],
                name,
                defaults=True,
                shared=shared.of(tool.origins.get(key, {})),
            )
            yield _Part(name, f"{text} `{tool.wire_name}`.", classes)


def _disambiguated(
    classes: Mapping[str, ModelClass], others: Mapping[str, ModelClass], root: str
) -> dict[str, ModelClass]:
    """Return `classes`, renamed where `others` has another class of that name."""
    differing = {name for name in classes.keys() & others.keys() if classes[name] != others[name]}
    # a class that refers to a renamed one is another class, too
    while more := {
        name
        for name in (classes.keys() & others.keys()) - differing
        if differing.intersection(classes[name].classes())
    }:
        differing |= more
    taken = {*classes, *others}
    names: dict[str, str] = {}
    for name in sorted(differing):
        names[name] = longer_name(name, classes[name].ancestors or (root,), taken)
        taken.add(names[name])
    return {names.get(name, name): made.renamed(names) for name, made in classes.items()}
