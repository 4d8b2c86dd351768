"""A module of models as the template `models/{tool}.py.jinja` prints it: classes in order, laid out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.models.annotations import field_annotation, field_default
from toolgen.models.class_builder import ModelClass
from toolgen.models.shapes import classes_in
from toolgen.python_source.layout import annotated_assignment, class_statement

_IMPORTS: Sequence[Mapping[str, Sequence[str]]] = (
    {"typing": ("Annotated", "Any", "Literal")},
    {"pydantic": ("BaseModel", "ConfigDict", "Field"), "toolgen.runtime.model": ("OpenModel",)},
)
"""Names that classes use, by their modules: the standard library's, then others."""
_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\w+")


@dataclass(frozen=True, slots=True)
class FieldSource:
    """One field of a class."""

    statement: str  # indented
    doc: str


@dataclass(frozen=True, slots=True)
class ClassSource:
    """One class of a module."""

    statement: str  # without its body
    base: str
    config: str  # pydantic's configuration
    doc: str
    fields: tuple[FieldSource, ...]


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """One module: what the template prints, or all that the model engine printed in its stead."""

    imports: tuple[str, ...] = ()  # lines, an empty one before each group
    classes: tuple[ClassSource, ...] = ()
    printed: str = ""  # by the engine: imports and classes
    laid_out: bool = False  # the formatter would change nothing


def module_source(classes: Mapping[str, ModelClass]) -> ModuleSource | None:
    """Return the source of the classes; None if they have shapes that only the model engine prints.

    Those are unions of classes, root models, and classes that refer to each other in a circle. Few tools of
    the public corpora have any (`make corpus` counts them).
    """
    order = dependency_order(classes)
    if order is None or not all(map(_is_plain, classes.values())):
        return None
    sources = tuple(_class(name, classes[name]) for name in order)
    return ModuleSource(tuple(_imports(sources)), sources, laid_out=all(map(_is_ascii, sources)))


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
    """True if an unknown key could be taken for an optional field, by the field's Python name."""
    optional = made.names.keys() - set(made.shape.get("required", ()))
    return bool(made.shape.get("additionalProperties")) and any(made.names[wire] != wire for wire in optional)


def model_config(made: ModelClass) -> str:
    """Return pydantic's configuration of a class.

    Python code may set fields by their Python names, too, unless one of these is another field's alias.
    """
    extra = "allow" if made.shape["additionalProperties"] else "forbid"
    aliased = {wire: python for wire, python in made.names.items() if wire != python}
    by_name = bool(aliased) and aliased.keys().isdisjoint(made.names.values())
    return f'ConfigDict(extra="{extra}"{", validate_by_name=True" if by_name else ""})'


def _is_plain(made: ModelClass) -> bool:
    return "properties" in made.shape and not any(map(_has_union, made.shape["properties"].values()))


def _has_union(shape: Any) -> bool:
    """True if a union in `shape` has several classes."""
    members = shape.get("anyOf", ())
    if sum("$ref" in member for member in members) > 1:
        return True
    inner = [shape[key] for key in ("items", "additionalProperties") if isinstance(shape.get(key), dict)]
    return any(map(_has_union, (*members, *inner)))


def _class(name: str, made: ModelClass) -> ClassSource:
    required = frozenset(made.shape.get("required", ()))
    base = "OpenModel" if may_confuse_keys(made) else "BaseModel"
    return ClassSource(
        statement=class_statement(name, base),
        base=base,
        config=model_config(made),
        doc=made.doc,
        fields=tuple(
            FieldSource(_statement(made, wire, optional=wire not in required), made.docs.get(wire, ""))
            for wire in made.names
        ),
    )


def _statement(made: ModelClass, wire: str, *, optional: bool) -> str:
    shape, name = made.shape["properties"][wire], made.names[wire]
    annotation = field_annotation(shape, alias=None if name == wire else wire, optional=optional)
    return annotated_assignment(name, annotation, field_default(shape, optional=optional))


def _is_ascii(source: ClassSource) -> bool:
    """True if the code of a class is ASCII: the formatter knows how wide other characters are."""
    return all(field.statement.isascii() for field in source.fields)


def _imports(sources: Sequence[ClassSource]) -> Iterator[str]:
    """Yield the lines that import what the classes use."""
    used = {"ConfigDict", *(source.base for source in sources)}
    for source in sources:
        for field in source.fields:
            used.update(_WORD.findall(field.statement))
    for group in _IMPORTS:
        lines = [
            f"from {module} import {', '.join(needed)}"
            for module, names in group.items()
            if (needed := [name for name in names if name in used])
        ]
        yield from ["", *lines] if lines else []
