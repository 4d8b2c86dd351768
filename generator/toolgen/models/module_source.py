"""A module of models as the template `models/{tool}.py.jinja` prints it: classes in order, laid out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from toolgen.models.annotations import field_annotation, field_default
from toolgen.models.class_builder import ModelClass
from toolgen.models.shapes import classes_in, without_constraints
from toolgen.models.shared_classes import ModuleClasses
from toolgen.python_source.imports import all_statement, import_from, member_order, module_order
from toolgen.python_source.layout import WIDTH, annotated_assignment, class_statement, flat
from toolgen.python_source.text_width import width

_IMPORTS: Sequence[Mapping[str, Sequence[str]]] = (
    {"typing": ("Annotated", "Any", "Literal", "TypeAlias")},
    {"pydantic": ("BaseModel", "ConfigDict", "Field"), "toolgen.runtime.model": ("OpenModel",)},
)
"""Names that classes use, by their modules: the standard library's, then others."""
_FUTURE = "from __future__ import annotations\n"
_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\w+")


@dataclass(frozen=True, slots=True)
class StatementSource:
    """A field of a class, indented, or a type alias; with its docstring."""

    statement: str
    doc: str


@dataclass(frozen=True, slots=True)
class ClassSource:
    """One class of a module."""

    statement: str  # without its body
    base: str
    config: str  # pydantic's configuration; empty: that of the base
    doc: str
    fields: tuple[StatementSource, ...]


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """One module: what the template prints, or all that the model engine printed in its stead."""

    imports: tuple[str, ...] = ()  # lines, an empty one before each group
    types: tuple[StatementSource, ...] = ()
    classes: tuple[ClassSource, ...] = ()
    aliases: tuple[StatementSource, ...] = ()
    exports: str = ""  # `__all__`, if classes are imported for other modules
    printed: str = ""  # by the engine: imports and classes
    laid_out: bool = False  # the formatter would change nothing


@dataclass(frozen=True, slots=True)
class ModelModules:
    """The modules of models: of tools by the tools' Python names, of shared files by the files' paths."""

    tools: Mapping[str, ModuleSource]
    shared: Mapping[str, ModuleSource]


def module_source(made: ModuleClasses) -> ModuleSource | None:
    """Return the source of classes; None if they have shapes that only the model engine prints.

    Those are unions of classes, root models, and classes that refer to each other in a circle. Few tools of
    the public corpora have any (`make corpus` counts them).
    """
    if any(is_root_model(each) or _has_unions(each) for each in made.classes.values()):
        return None
    order = dependency_order(made.classes)
    if order is None:
        return None
    classes = tuple(_class(name, made.classes[name]) for name in order)
    types = tuple(_type(name, each) for name, each in made.types.items())
    aliases = tuple(_alias(name, each) for name, each in made.aliases.items())
    statements = [*types, *aliases, *(field for each in classes for field in each.fields)]
    used = {name for each in classes for name in (each.base, "ConfigDict" if each.config else "") if name}
    return ModuleSource(
        imports=(*_imports(statements, used), *_shared_imports(made)),
        types=types,
        classes=classes,
        aliases=aliases,
        exports=all_statement(made.exported) if made.exported else "",
        laid_out=all(map(_is_laid_out, statements)),
    )


def engine_source(made: ModuleClasses, printed: str) -> ModuleSource:
    """Return the source of classes that the model engine printed."""
    types = tuple(_type(name, each) for name, each in made.types.items())
    aliases = (*types, *(_alias(name, each) for name, each in made.aliases.items()))
    lines = "".join(f"{line}\n" for line in (*_imports(aliases, set()), *_shared_imports(made)))
    return ModuleSource(aliases=aliases, printed=printed.replace(_FUTURE, _FUTURE + lines, 1))


def dependency_order(classes: Mapping[str, ModelClass]) -> list[str] | None:
    """Return the names of the classes, each after those that it refers to; None if there are circles.

    Classes come in rounds, in the order of `classes` as far as possible: the order of the model engine.
    """
    waiting = {name: classes_in(made.shape) for name, made in classes.items()}
    order: dict[str, None] = {}
    while waiting:
        before = len(order)
        for name, needed in waiting.items():
            if all(other in order or other not in classes for other in needed):
                order[name] = None
        if len(order) == before:
            return None
        waiting = {name: needed for name, needed in waiting.items() if name not in order}
    return list(order)


def may_confuse_keys(made: ModelClass) -> bool:
    """True if an unknown key could be taken for a field, by the field's Python name."""
    is_aliased = any(wire != python for wire, python in made.names.items())
    return is_aliased and bool(made.shape.get("additionalProperties"))


def model_config(made: ModelClass) -> str:
    """Return pydantic's configuration of a class.

    Python code may set fields by their Python names, too, unless one of these is another field's alias.
    """
    extra = "allow" if made.shape["additionalProperties"] else "forbid"
    aliased = {wire: python for wire, python in made.names.items() if wire != python}
    by_name = bool(aliased) and aliased.keys().isdisjoint(made.names.values())
    return f'ConfigDict(extra="{extra}"{", validate_by_name=True" if by_name else ""})'


def is_root_model(made: ModelClass) -> bool:
    """True for the type of a value that is not an object."""
    return "properties" not in made.shape


def _has_unions(made: ModelClass) -> bool:
    return any(map(_has_union, made.shape["properties"].values()))


def _has_union(shape: Any) -> bool:
    """True if a union in `shape` has several classes."""
    members = shape.get("anyOf", ())
    if sum("$ref" in member for member in members) > 1:
        return True
    inner = [shape[key] for key in ("items", "additionalProperties") if isinstance(shape.get(key), dict)]
    return any(map(_has_union, (*members, *inner)))


def _class(name: str, made: ModelClass) -> ClassSource:
    required = frozenset(made.shape.get("required", ()))
    base = made.base or ("OpenModel" if may_confuse_keys(made) else "BaseModel")
    return ClassSource(
        statement=class_statement(name, base),
        base=base,
        config="" if made.base else model_config(made),
        doc=made.doc,
        fields=tuple(
            StatementSource(
                _statement(made, wire, base=base, optional=wire not in required), made.docs.get(wire, "")
            )
            for wire in made.names
        ),
    )


def _statement(made: ModelClass, wire: str, *, base: str, optional: bool) -> str:
    shape, name = made.shape["properties"][wire], made.names[wire]
    annotation = field_annotation(shape, alias=None if name == wire else wire, optional=optional)
    return annotated_assignment(name, annotation, field_default(shape, optional=optional, base=base))


def _type(name: str, made: ModelClass) -> StatementSource:
    python = flat(field_annotation(made.shape, alias=None, optional=False))
    return StatementSource(f"{name}: TypeAlias = {python}", made.doc)


def _alias(name: str, made: ModelClass) -> StatementSource:
    python = flat(field_annotation(without_constraints(made.shape), alias=None, optional=False))
    return StatementSource(f"{name}: TypeAlias = {python}", made.doc)


def _is_laid_out(source: StatementSource) -> bool:
    """True if the formatter would not change the statement: a field, or an alias that fits on a line.

    Only the formatter knows where it splits a long field with a lambda.
    """
    if not source.statement.startswith(" "):
        return width(source.statement) <= WIDTH
    return "\n" not in source.statement or "=lambda: [" not in source.statement


def _imports(statements: Iterable[StatementSource], used: Set[str]) -> Iterator[str]:
    """Yield the lines that import what the statements use, and the names in `used`."""
    words = {word for source in statements for word in _WORD.findall(source.statement)} | used
    for group in _IMPORTS:
        lines = [
            f"from {module} import {', '.join(needed)}"
            for module, names in group.items()
            if (needed := [name for name in names if name in words])
        ]
        yield from ["", *lines] if lines else []


def _shared_imports(made: ModuleClasses) -> Iterator[str]:
    """Yield the lines that import the classes of shared files, as the formatter sorts and splits them."""
    plain: dict[str, list[str]] = {}
    lines: list[tuple[str, str, str]] = []  # module, the first name, statement
    for name, each in made.imported.items():
        if name == each.name:
            plain.setdefault(each.module, []).append(name)
        else:
            lines.append((each.module, each.name, f"from {each.module} import {each.name} as {name}"))
    lines += ((module, member_order(names)[0], import_from(module, names)) for module, names in plain.items())
    ranks = {name: rank for rank, name in enumerate(member_order({name for _, name, _ in lines}))}
    lines.sort(key=lambda line: (module_order(line[0]), ranks[line[1]], line[2]))
    yield from ["", *(line for _, _, line in lines)] if lines else []
