"""Classes of models that another version of toolgen called by other names, found by comparing both texts.

A class is followed from a request or response, whose names never change, through fields of the same name. So
it is found wherever it is now: under another name, or in a module of shared schemas.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache

from toolgen.data.changes import Tree

Renamed = Mapping[str, Mapping[str, str]]
"""Path of a module → former name of a class → its name now, as `renamed_classes` returns them."""

_MODELS = "models/"  # the folder of the modules, below the output folder


def renamed_classes(before: Tree, after: Tree) -> Renamed:
    """Return, for each module of models in both trees, the class names that only `before` has.

    Modules are paths below the output folder. A name is mapped to the same class's name in `after`: that of a
    class in the module, or, with a dotted path below the package of models, of one in another module. Classes
    that `after` no longer has are left out, and so are modules that are not Python.
    """
    old, new = _Modules(before), _Modules(after)
    found = {path: _renamed_in(path, old, new) for path in sorted(before.keys() & after.keys())}
    return {path: names for path, names in found.items() if names}


def existing_names(renamed: Renamed, tree: Tree) -> Renamed:
    """Return `renamed` without classes that `tree` no longer has, and without names that others have now."""
    modules = _Modules(tree)
    found = {
        path: {
            old: new for old, new in names.items() if modules.has(path, new) and not modules.has(path, old)
        }
        for path, names in renamed.items()
    }
    return {path: names for path, names in found.items() if names}


@dataclass(frozen=True)
class _Class:
    """A class in a module."""

    module: str  # path below the output folder
    name: str
    node: ast.ClassDef


@dataclass(frozen=True)
class _Type:
    """A type as it is written in a module."""

    module: str
    value: ast.expr


@dataclass(frozen=True)
class _Import:
    """A name of another module."""

    module: str
    name: str


class _Modules:
    """The modules of models in a tree, each parsed when it is first needed."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = cache(self._names)

    def _names(self, path: str) -> dict[str, ast.AST | _Import]:
        """Return what each name at the top of a module is: a class, an alias, or an import."""
        try:
            body = ast.parse(self.tree.get(path, "")).body
        except (SyntaxError, ValueError, RecursionError):
            return {}
        found: dict[str, ast.AST | _Import] = {}
        for node in body:
            match node:
                case ast.ClassDef(name=name):
                    found[name] = node
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    found[name] = value
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found[name] = value
                case ast.ImportFrom(module=str(module), level=level) if level:
                    folder = path.rsplit("/", level)[0]
                    source = f"{folder}/{module.replace('.', '/')}.py"
                    found |= {each.asname or each.name: _Import(source, each.name) for each in node.names}
        return found

    def has(self, path: str, name: str) -> bool:
        """True if a module has a class called `name`, which may have the dotted path of another module."""
        *folders, alone = name.split(".")
        return alone in self.names(f"{_MODELS}{'/'.join(folders)}.py" if folders else path)

    def find(self, path: str, name: str) -> _Class | _Type | None:
        """Return the class or alias that `name` is in a module, imported ones included."""
        found = self.names(path).get(name)
        if isinstance(found, _Import):
            return self.find(found.module, found.name) if found.module != path else None
        if isinstance(found, ast.ClassDef):
            return _Class(path, name, found)
        return _Type(path, found) if isinstance(found, ast.expr) else None

    def fields(self, made: _Class, depth: int = 0) -> dict[str, _Type]:
        """Return the types of a class's fields, inherited ones included; `root` is that of a root model."""
        found: dict[str, _Type] = {}
        for base in made.node.bases:
            if isinstance(base, ast.Subscript):
                found["root"] = _Type(made.module, base.slice)
            elif isinstance(base, ast.Name) and depth < 10:
                inherited = self.find(made.module, base.id)
                found |= self.fields(inherited, depth + 1) if isinstance(inherited, _Class) else {}
        own = {
            each.target.id: _Type(made.module, each.annotation)
            for each in made.node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        return {**found, **own}

    def classes_in(self, written: _Type, depth: int = 0) -> Iterator[_Class]:
        """Yield the classes that a type names, in its order; through aliases, too."""
        for node in _in_order(written.value):
            if isinstance(node, ast.Name) and depth < 10:
                found = self.find(written.module, node.id)
                if isinstance(found, _Class):
                    yield found
                elif found is not None:
                    yield from self.classes_in(found, depth + 1)


def _renamed_in(path: str, old: _Modules, new: _Modules) -> dict[str, str]:
    is_module = path.startswith(_MODELS) and path.endswith(".py") and path.count("/") == 1
    if not is_module:
        return {}
    now = {name: new.find(path, name) for name in new.names(path)}
    renamed: dict[str, str] = {}
    waiting = [
        (before, after)
        for name, after in now.items()
        if isinstance(after, _Class) and isinstance(before := old.find(path, name), _Class)
        if name.endswith(("Request", "Response"))
    ]
    seen: set[str] = set()
    while waiting:
        before, after = waiting.pop()
        fields, fields_now = old.fields(before), new.fields(after)
        if before.name in seen or fields.keys() != fields_now.keys():
            continue
        seen.add(before.name)
        if before.name not in now:
            renamed[before.name] = _name_from(path, after)
        for name, written in fields.items():
            waiting += _pairs(
                [(each, old.fields(each).keys()) for each in old.classes_in(written)],
                [(each, new.fields(each).keys()) for each in new.classes_in(fields_now[name])],
            )
    return dict(sorted(renamed.items()))


def _pairs(
    before: list[tuple[_Class, Set[str]]], after: list[tuple[_Class, Set[str]]]
) -> Iterator[tuple[_Class, _Class]]:
    """Pair the classes that a field names with those that it names now, by the names of their fields."""
    for each, names in before:
        alike = [other for other, others in after if others == names]
        if alike:
            yield each, alike[0]
            if len(alike) > 1:  # equal classes have become one: the last stays for the rest
                after = [pair for pair in after if pair[0] is not alike[0]]


def _name_from(path: str, found: _Class) -> str:
    """Return a class's name for a module: alone if it is the module's own, else with the path of its own."""
    if found.module == path:
        return found.name
    return f"{found.module.removeprefix(_MODELS).removesuffix('.py').replace('/', '.')}.{found.name}"


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it, in the order of the text."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
