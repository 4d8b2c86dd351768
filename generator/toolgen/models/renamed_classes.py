"""Classes of models that another version of toolgen called by other names, found by comparing both texts.

A class is followed from a request or response, whose names never change, through fields of the same name. So
it is found wherever it is now: under another name, or in a module of shared schemas.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
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
    """A class in a module, with what its fields refer to."""

    module: str  # path below the output folder
    name: str
    node: ast.ClassDef

    def values(self) -> dict[str, ast.expr]:
        """Return the annotations of the fields, and the value of a root model as the field `root`."""
        fields = {
            each.target.id: each.annotation
            for each in self.node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        match self.node.bases:
            case [ast.Subscript(slice=root)]:
                return {"root": root, **fields}
        return fields


@dataclass(frozen=True)
class _Alias:
    """A name for a type, in a module."""

    module: str
    value: ast.expr


class _Modules:
    """The modules of models in a tree, each parsed when it is first needed."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = cache(self._names)

    def _names(self, path: str) -> dict[str, ast.AST | str]:
        """Return what each name at the top of a module is: a class, an alias, or the path of a module."""
        try:
            body = ast.parse(self.tree.get(path, "")).body
        except (SyntaxError, ValueError, RecursionError):
            return {}
        found: dict[str, ast.AST | str] = {}
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
                    found |= {each.asname or each.name: source for each in node.names}
        return found

    def has(self, path: str, name: str) -> bool:
        """True if a module has a class called `name`, which may have the dotted path of another module."""
        *folders, alone = name.split(".")
        return alone in self.names(f"{_MODELS}{'/'.join(folders)}.py" if folders else path)

    def find(self, path: str, name: str) -> _Class | _Alias | None:
        """Return the class or alias that `name` is in a module, imported ones included."""
        found = self.names(path).get(name)
        if isinstance(found, str):
            return self.find(found, name) if found != path else None
        if isinstance(found, ast.ClassDef):
            return _Class(path, name, found)
        return _Alias(path, found) if isinstance(found, ast.expr) else None

    def classes_in(self, path: str, annotation: ast.expr, depth: int = 0) -> Iterator[_Class]:
        """Yield the classes that an annotation names, in its order; through aliases, too."""
        for node in _in_order(annotation):
            if isinstance(node, ast.Name) and depth < 10:
                found = self.find(path, node.id)
                if isinstance(found, _Class):
                    yield found
                elif found is not None:
                    yield from self.classes_in(found.module, found.value, depth + 1)


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
        if before.name in seen or before.values().keys() != after.values().keys():
            continue
        seen.add(before.name)
        if before.name not in now:
            renamed[before.name] = _name_from(path, after)
        values = after.values()
        for name, annotation in before.values().items():
            pairs = _pairs(
                [*old.classes_in(before.module, annotation)], [*new.classes_in(after.module, values[name])]
            )
            waiting += pairs
    return dict(sorted(renamed.items()))


def _pairs(before: list[_Class], after: list[_Class]) -> list[tuple[_Class, _Class]]:
    """Pair the classes that a field names with those that it names now, by their fields."""
    pairs = []
    for each in before:
        alike = [other for other in after if other.values().keys() == each.values().keys()]
        if alike:
            pairs.append((each, alike[0]))
            if len(alike) > 1:  # equal classes have become one: the last stays for the rest
                after = [other for other in after if other is not alike[0]]
    return pairs


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
