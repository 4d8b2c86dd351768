"""A module of models as the template `models/{tool}.py.jinja` prints it: classes in order, laid out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from toolgen.compile.models.annotations import field_annotation, field_default, type_annotation
from toolgen.compile.models.model_classes import ModelClass, Record
from toolgen.compile.models.shapes import ClassRef, Shape, UnionShape, inner_shapes, without_constraints
from toolgen.compile.models.shared_classes import ModuleClasses
from toolgen.compile.python_source.imports import all_statement, import_from, member_order, module_order
from toolgen.compile.python_source.layout import WIDTH, annotated_assignment, class_statement
from toolgen.compile.python_source.text_width import width

_IMPORTS: Sequence[Mapping[str, Sequence[str]]] = (
    {"typing": ("Annotated", "Any", "Literal", "TypeAlias")},
    {"pydantic": ("BaseModel", "ConfigDict", "Field", "RootModel"), "toolgen.runtime.model": ("OpenModel",)},
)
"""Names that classes use, by their modules: the standard library's, then others."""
_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\w+")


@dataclass(frozen=True, slots=True)
class StatementSource:
    """A field of a class, indented, or a type alias."""

    statement: str
    doc: str = ""  # of an alias that no model uses


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
    """One module."""

    imports: tuple[str, ...] = ()  # lines, an empty one before each group
    types: tuple[StatementSource, ...] = ()
    classes: tuple[ClassSource, ...] = ()
    aliases: tuple[StatementSource, ...] = ()
    exports: str = ""  # `__all__`, if classes are imported for other modules
    rebuilt: tuple[str, ...] = ()  # names of classes that refer to later ones
    laid_out: bool = False  # the formatter would change nothing


@dataclass(frozen=True, slots=True)
class ModelModules:
    """The modules of models: of tools by the tools' Python names, of shared files by the files' paths."""

    tools: Mapping[str, ModuleSource]
    shared: Mapping[str, ModuleSource]


def module_source(made: ModuleClasses) -> ModuleSource | None:
    """Return the source of classes; None if they have shapes whose types only the model engine prints.

    Those are unions of classes, root models, and classes that refer to each other in a circle. Few tools of
    the public corpora have any.
    """
    if any(each.is_root_model or any(map(_has_union, each.shapes())) for each in made.classes.values()):
        return None
    order = dependency_order(made.classes)
    if order is None:
        return None
    classes = tuple(_class(name, made.classes[name]) for name in order)
    types = tuple(_type(name, each) for name, each in made.types.items())
    aliases = _aliases(made)
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


def source_of_classes(
    made: ModuleClasses, classes: tuple[ClassSource, ...], rebuilt: tuple[str, ...]
) -> ModuleSource:
    """Return the source of a module whose classes the model engine printed."""
    types = tuple(_type(name, each) for name, each in made.types.items())
    aliases = (*types, *_aliases(made))
    statements = [*aliases, *(field for each in classes for field in each.fields)]
    used = {word for each in classes for word in _WORD.findall(f"{each.statement} {each.config}")}
    imports = (*_imports(statements, used), *_shared_imports(made))
    return ModuleSource(imports, classes=classes, aliases=aliases, rebuilt=rebuilt)


def dependency_order(classes: Mapping[str, ModelClass]) -> list[str] | None:
    """Return the names of the classes, each after those that it refers to; None if there are circles.

    Classes come in rounds, in the order of `classes` as far as possible: the order of the model engine.
    """
    waiting = {name: made.classes() for name, made in classes.items()}
    order: dict[str, None] = {}
    while waiting:
        before = len(order)
        for name, needed in waiting.items():
            if all(other in order or other not in classes for other in needed):
                order[name] = None
        # a circle: every class that is left waits for another one
        if len(order) == before:
            return None
        waiting = {name: needed for name, needed in waiting.items() if name not in order}
    return list(order)


def model_config(record: Record) -> str:
    """Return pydantic's configuration of a class: Python code may set fields by their Python names, too."""
    extra = "forbid" if record.closed else "allow"
    return f'ConfigDict(extra="{extra}"{", validate_by_name=True" if record.has_aliases else ""})'


def _has_union(shape: Shape) -> bool:
    """True if a union in `shape` has several classes."""
    inner = inner_shapes(shape)
    is_one = isinstance(shape, UnionShape) and sum(isinstance(each, ClassRef) for each in inner) > 1
    return is_one or any(map(_has_union, inner))


def _class(name: str, made: ModelClass) -> ClassSource:
    record = made.body if isinstance(made.body, Record) else None
    base = made.base or ("OpenModel" if record is not None and record.may_confuse_keys else "BaseModel")
    fields = () if record is None else tuple(_field(record, wire, base) for wire in record.fields)
    config = "" if record is None else model_config(record)
    return ClassSource(class_statement(name, base), base, config, made.doc, fields)


def _field(record: Record, wire: str, base: str) -> StatementSource:
    field, optional = record.fields[wire], wire not in record.required
    annotation = field_annotation(field, alias=None if field.name == wire else wire, optional=optional)
    default = field_default(field.default, factory=base != "BaseModel") if optional else None
    return StatementSource(annotated_assignment(field.name, annotation, default))


def _type(name: str, made: ModelClass) -> StatementSource:
    (shape,) = made.shapes()
    return StatementSource(f"{name}: TypeAlias = {type_annotation(shape, made.doc)}")


def _aliases(made: ModuleClasses) -> tuple[StatementSource, ...]:
    plain = {name: each.with_shapes(without_constraints) for name, each in made.aliases.items()}
    return tuple(replace(_type(name, replace(each, doc="")), doc=each.doc) for name, each in plain.items())


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
