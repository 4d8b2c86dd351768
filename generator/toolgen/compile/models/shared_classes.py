"""The classes of shared files: one module for each file, whose classes the models of tools import.

Each definition that describes objects is a class. Two modules of classes cannot import each other: files that
refer to each other in a circle have their classes in the module of the first, from which those of the others
import theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from toolgen.compile.models.ambiguous_unions import resolve_ambiguous_unions
from toolgen.compile.models.class_builder import SharedClass, definition_classes
from toolgen.compile.models.class_names import NameHint
from toolgen.compile.models.model_classes import ModelClass
from toolgen.compile.models.shapes import written_out
from toolgen.language.identifiers import pascal, unique_name
from toolgen.language.program import Origins, SharedFile, SharedSchema
from toolgen.schema.document import format_pointer

_NO_MODELS: Mapping[str, ModelClass] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ImportedClass:
    """A class that a module imports from a module of shared classes."""

    module: str  # ".shared.purchasing"
    name: str


@dataclass(frozen=True, slots=True)
class ModuleClasses:
    """The classes of one module, types that have a name, and what the module imports."""

    classes: Mapping[str, ModelClass]
    types: Mapping[str, ModelClass] = field(default_factory=dict)  # that classes refer to
    aliases: Mapping[str, ModelClass] = field(default_factory=dict)  # that refer to classes
    imported: Mapping[str, ImportedClass] = field(default_factory=dict)  # name in this module → class
    exported: tuple[str, ...] = ()  # imported for others


@dataclass(slots=True)
class SharedClasses:
    """The classes of all shared files."""

    modules: dict[str, ModuleClasses] = field(default_factory=dict)  # by path below the specs folder
    by_schema: dict[SharedSchema, SharedClass] = field(default_factory=dict)
    by_key: dict[str, SharedClass] = field(default_factory=dict)
    content: dict[str, ModelClass] = field(default_factory=dict)  # of all classes, by key

    def of(self, origins: Origins) -> dict[str, SharedClass]:
        """Return the shared classes of a bundled schema by the pointers to their definitions."""
        known = self.by_schema
        return {path_to(name): known[schema] for name, schema in origins.items() if schema in known}

    def local_names(self, keys: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
        """Return the names under which a module imports classes, by key; none of them is in `taken`."""
        # sorted: the order of properties must not decide which class keeps its name
        classes = [self.by_key[key] for key in sorted(keys)]
        wanted = Counter(each.name for each in classes)
        used = {*taken}
        found: dict[str, str] = {}
        for each in classes:
            name = each.name
            if name in used or wanted[name] > 1:
                name = unique_name(f"{pascal(each.module, 'Shared')}{name}", {*used, *wanted})
            found[each.key] = name
            used.add(name)
        return found

    def module(
        self,
        classes: Mapping[str, ModelClass],
        aliases: Mapping[str, ModelClass] = _NO_MODELS,
        *,
        types: Mapping[str, ModelClass] = _NO_MODELS,
        taken: Iterable[str],
        package: str = ".shared.",
    ) -> ModuleClasses:
        """Return a module whose classes refer to shared ones by key, with these imported from `package`."""
        made = [*types.values(), *classes.values(), *aliases.values()]
        used = {key for each in made for key in each.names()} & self.by_key.keys()
        names = self.local_names(used, taken)
        shared = {names[key]: self.by_key[key] for key in used}
        return ModuleClasses(
            {name: each.renamed(names) for name, each in classes.items()},
            {name: each.renamed(names) for name, each in types.items()},
            {name: each.renamed(names) for name, each in aliases.items()},
            {name: ImportedClass(package + each.module, each.name) for name, each in sorted(shared.items())},
        )


def shared_classes(files: Mapping[str, SharedFile]) -> SharedClasses:
    """Return the classes of shared files, which use no other files than these."""
    found = SharedClasses()
    for path in sorted(files, key=lambda path: len(files[path].uses)):  # each after those that it uses
        if path not in found.modules:
            _add_circle(files, files[path], found)
    return found


def _add_circle(files: Mapping[str, SharedFile], file: SharedFile, found: SharedClasses) -> None:
    """Add the classes of `file`, and of the files that it forms a circle with, to `found`."""
    own = {path_to(name): schema for name, schema in file.origins.items() if schema.path in file.circle}
    others = {name: schema for name, schema in file.origins.items() if schema.path not in file.circle}
    hints = {
        pointer: NameHint(
            pascal(schema.name, "Model"), pascal(files[schema.path].py_name, "Shared"), is_explicit=True
        )
        for pointer, schema in own.items()
    }
    unnamed = definition_classes(file.document, hints, found.of(others))
    names = unnamed.choose_names(())
    types = unnamed.named_types(names)
    roots = [names[key] for key in unnamed.definitions.values()]
    classes = resolve_ambiguous_unions(unnamed.named(names), roots, found.content)
    host = files[file.circle[0]].py_name
    keys = {name: f"{host}.{name}" for name in (*classes, *types)}
    found.content |= {keys[name]: made.renamed(keys) for name, made in classes.items()}
    for pointer, key in unnamed.definitions.items():
        name, schema = names[key], own[pointer]
        made = types.get(name) or classes[name]
        shape = written_out(*made.shapes()) if name in types else None
        shared = SharedClass(keys[name], files[schema.path].py_name, name, made.doc, shape)
        found.by_schema[schema] = found.by_key[shared.key] = shared
    taken = names.values()
    found.modules[file.circle[0]] = found.module(classes, types=types, taken=taken, package=".")
    for path in file.circle[1:]:
        exported = sorted({each.name for schema, each in found.by_schema.items() if schema.path == path})
        imported = {name: ImportedClass(f".{host}", name) for name in exported}
        found.modules[path] = ModuleClasses({}, imported=imported, exported=tuple(exported))


def path_to(definition: str) -> str:
    """Return the pointer to a definition, as references in bundled schemas have it."""
    return "#" + format_pointer(("$defs", definition))
