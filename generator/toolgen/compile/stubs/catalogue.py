"""The types of several tools together: a type that tools share is there once, under one name.

Types are read off definitions, so that a running server can print them as well as the generator can. They
describe JSON as it is sent: no value that the schemas accept is outside of them.
"""

from __future__ import annotations

import builtins
import json
import keyword
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from toolgen.base.suggestions import count
from toolgen.compile.models import shapes
from toolgen.compile.models.class_builder import root_classes
from toolgen.compile.models.model_classes import ModelClass, ModelField, Record, reachable
from toolgen.compile.models.shapes import OBJECT, ClassRef, Literals, Shape, renamed
from toolgen.language.identifiers import pascal, snake, unique_name
from toolgen.runtime.definition.tool_definition import Fields, ToolDefinition
from toolgen.schema.document import SchemaDocument

_MAX_LITERALS: Final = 1_000  # characters; an enumeration that takes more is a type of its values
_RESERVED: Final = frozenset(
    (*dir(builtins), "Any", "Literal", "NotRequired", "TypedDict", "Promise", "Record")
)
"""Names that mean something else in stubs."""
PYTHON_WORDS: Final = frozenset(keyword.kwlist)
_ROOT: Final = "#"  # in keys: the class of a whole schema, whose author gave it no name


@dataclass(frozen=True, slots=True)
class ToolTypes:
    """One tool as a function: its names, what it takes, what it returns."""

    name: str  # on the wire
    function: str  # in code
    description: str
    request: Record | Shape  # a record: its fields are the parameters
    parameters: Mapping[str, str]  # name on the wire → name in code, of a record
    response: Shape | None  # None: its contract does not say
    chunk: Shape | None  # None: it is not a stream
    errors: Sequence[Fields]
    confirms: bool  # it asks the user before it acts

    def classes(self) -> list[str]:
        """Return the names of the types that its parameters and results refer to."""
        results = [shape for shape in (self.response, self.chunk) if shape is not None]
        return [name for shape in (self.request, *results) for name in ModelClass(shape).classes()]


@dataclass(frozen=True, slots=True)
class CatalogueTypes:
    """Tools, and the types that they use, by name."""

    tools: tuple[ToolTypes, ...]
    types: Mapping[str, ModelClass]

    def of_requests(self) -> set[str]:
        """Return the names of the types that requests use, directly or not."""
        requests = [ModelClass(tool.request) for tool in self.tools]
        return reachable(self.types, [name for made in requests for name in made.classes()])


def catalogue_types(
    definitions: Iterable[ToolDefinition],
    words: Set[str] = PYTHON_WORDS,
    functions: Mapping[str, str] | None = None,
    *,
    classes: Set[str] = frozenset(),
) -> CatalogueTypes:
    """Return the types of tools, which are sorted by name; no function is called as one of `words`.

    `functions` has the names of functions by wire name, if they are chosen already. No type is called as one
    of `classes`.
    """
    by_name = sorted(definitions, key=lambda each: each["name"])
    if functions is None:
        functions = function_names([each["name"] for each in by_name], words)
    builder = _Builder()
    tools = tuple(builder.tool(each, functions[each["name"]]) for each in by_name)
    names, types = builder.merged({*functions.values(), *classes})
    tools = tuple(_with_shapes(tool, lambda shape: renamed(shape, names)) for tool in tools)
    used = reachable(types, [name for tool in tools for name in tool.classes()])
    types = {name: made for name, made in types.items() if name in used}
    return CatalogueTypes(tools, types)


def function_names(tools: Collection[str], words: Set[str] = PYTHON_WORDS) -> dict[str, str]:
    """Return the name of each tool's function. Tools that have a name of a function already keep it.

    No function is called as one of `words`, or as something built in, which scripts use.
    """
    refused = _RESERVED | words
    names = {name: name for name in tools if _is_function_name(name) and name not in refused}
    taken = {*names, *refused}
    for name in sorted({*tools} - names.keys()):
        made = snake(name, "tool")
        names[name] = unique_name(f"{made}_" if made in refused else made, taken)
        taken.add(names[name])
    return names


def parameter_names(properties: Iterable[str]) -> dict[str, str]:
    """Return the name of each property as a parameter in Python; those that are valid names stay."""
    known = [*properties]
    names = {name: name for name in known if is_identifier(name)}
    taken = {*known}
    for name in known:
        if name not in names:
            names[name] = unique_name(snake(name, "field"), taken)
            taken.add(names[name])
    return {name: names[name] for name in known}


def is_identifier(name: str) -> bool:
    """True if Python reads `name` as exactly this identifier."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def _is_function_name(name: str) -> bool:
    return is_identifier(name) and not name.startswith("_")


def is_huge(shape: Shape) -> bool:
    """True for an enumeration whose values are too many to print; their types stand for them."""
    return isinstance(shape, Literals) and sum(len(str(value)) + 4 for value in shape.values) > _MAX_LITERALS


class _Builder:
    """Collects the classes of tools under keys, then merges those that are the same."""

    def __init__(self) -> None:
        self._classes: dict[str, ModelClass] = {}
        self._wanted: dict[str, str] = {}  # key → the name that its author or its place suggests
        self._stems: dict[str, str] = {}  # key → what goes before names that others want, too

    def tool(self, definition: ToolDefinition, function: str) -> ToolTypes:
        """Add the classes of a tool; return its types, which refer to classes by key."""
        name = definition["name"]
        stem = pascal(name, "Tool")
        request = self._root(name, "Arguments", stem, definition["input_schema"])
        body = request.body
        output, stream = definition.get("output_schema"), definition.get("stream")
        return ToolTypes(
            name=name,
            function=function,
            description=definition["description"].strip(),
            request=cast("Record | Shape", body),
            parameters=parameter_names(body.fields) if isinstance(body, Record) else {},
            response=None if output is None else self._result(name, "Result", stem, output),
            chunk=None if stream is None else self._result(name, "Chunk", stem, stream["chunk_schema"]),
            errors=definition.get("errors", ()),
            confirms="confirm" in definition,
        )

    def _root(self, tool: str, part: str, stem: str, schema: Mapping[str, Any]) -> ModelClass:
        """Add the classes that a schema consists of, return that of the schema itself."""
        root = f"{stem}{part}"
        found = root_classes(SchemaDocument(schema), root, defaults=part == "Arguments")
        named = found.named(found.choose_names(()))
        keys = {name: f"{tool}/{part}/{name if name != root else _ROOT}" for name in named}
        for name, made in named.items():
            key = keys[name]
            self._classes[key] = made.renamed(keys)
            self._wanted[key], self._stems[key] = name, stem
        return self._classes[keys[root]]

    def _result(self, tool: str, part: str, stem: str, schema: Mapping[str, Any]) -> Shape:
        made = self._root(tool, part, stem, schema)
        if made.fields:
            return ClassRef(f"{tool}/{part}/{_ROOT}")
        return made.shapes()[0] if made.is_root_model else OBJECT

    def merged(self, reserved: Set[str]) -> tuple[dict[str, str], dict[str, ModelClass]]:
        """Return the name of each class by its key, and the classes by name; equal ones are one.

        Classes are equal if they have one name, or one has none, and their fields are the same, as deep as
        they go.
        """
        groups = _groups(self._classes, self._wanted)
        first: dict[int, str] = {}  # group → its first key
        for key, group in groups.items():
            first.setdefault(group, key)
        sizes = Counter(groups.values())
        names: dict[int, str] = {}
        taken = {*reserved, *_RESERVED}
        # the type that most tools share has the short name
        for group in sorted(first, key=lambda each: (-sizes[each], first[each])):
            key = first[group]
            name = self._wanted[key]
            if name in taken and not name.startswith(self._stems[key]):
                name = f"{self._stems[key]}{name}"
            names[group] = unique_name(name, taken)
            taken.add(names[group])
        by_key = {key: names[group] for key, group in groups.items()}
        types = {names[group]: self._classes[key].renamed(by_key) for group, key in first.items()}
        return by_key, types


def _groups(classes: Mapping[str, ModelClass], wanted: Mapping[str, str]) -> dict[str, int]:
    """Return a number for each class, which equal classes share: classes are told apart until none differ."""
    labels = {key: "" if key.endswith(f"/{_ROOT}") else wanted[key] for key in classes}
    groups = dict.fromkeys(classes, 0)
    number = 0
    while True:
        known: dict[str, int] = {}
        current = {key: str(group) for key, group in groups.items()}
        texts = {key: repr(made.renamed(current).body) for key, made in classes.items()}
        groups = {key: known.setdefault(f"{labels[key]} {texts[key]}", len(known)) for key in classes}
        if len(known) == number:
            break
        number = len(known)
    named = {texts[key]: groups[key] for key in classes if labels[key]}
    return {key: groups[key] if labels[key] else named.get(texts[key], groups[key]) for key in classes}


def _with_shapes(tool: ToolTypes, change: Callable[[Shape], Shape]) -> ToolTypes:
    made = ModelClass(tool.request).with_shapes(change)
    return replace(
        tool,
        request=cast("Record | Shape", made.body),
        response=None if tool.response is None else change(tool.response),
        chunk=None if tool.chunk is None else change(tool.chunk),
    )


_SHOWN_VALUES = 8  # of an enumeration that is too long to print


def field_text(field: ModelField, *, is_input: bool, with_default: bool = True) -> str:
    """Return what is said of a field on one line; empty if nothing is. Only inputs have limits to keep."""
    doc = " ".join(field.doc.split())
    facts = [*_values(field.shape), *(_limits(field.shape) if is_input else ())]
    if is_input and with_default and field.default is not None:
        facts.append(f"default {json.dumps(field.default, ensure_ascii=False)}")
    said = "; ".join(facts)
    return f"{doc} ({said})" if doc and said else doc or said


def call_text(tool: ToolTypes) -> str:
    """Return the text of a tool: its description, that it asks the user, its errors."""
    parts = [tool.description]
    if tool.confirms:
        parts.append("Asks the user before it acts.")
    if tool.chunk is not None:
        parts.append("The result is a stream; a call returns when it has ended.")
    if tool.errors:
        parts.append("\n".join(["Errors:", *map(_error, tool.errors)]))
    return "\n\n".join(part for part in parts if part)


def _error(error: Fields) -> str:
    said = [error["description"], error.get("hint", ""), "Retryable." if error.get("retryable") else ""]
    return f"- {error['code']}: {' '.join(' '.join(said).split())}"


def _values(shape: shapes.Shape) -> Iterator[str]:
    """Yield the first values of an enumeration that is too long to print."""
    if isinstance(shape, shapes.Literals) and is_huge(shape):
        shown = ", ".join(map(str, shape.values[:_SHOWN_VALUES]))
        yield f"one of {count(len(shape.values), 'value')}: {shown}, …"
    for inner in shapes.inner_shapes(shape):
        yield from _values(inner)


def _limits(shape: shapes.Shape) -> Iterator[str]:
    match shape:
        case shapes.UnionShape(members):
            for member in members:
                yield from _limits(member)
        case shapes.Scalar(constraints=constraints) | shapes.Array(constraints=constraints):
            known = dict(constraints)
            yield from _range(known, "minimum", "maximum", "")
            yield from _range(known, "minLength", "maxLength", " characters")
            yield from _range(known, "minItems", "maxItems", " items")
            yield from (f"above {known[key]}" for key in known if key == "exclusiveMinimum")
            yield from (f"below {known[key]}" for key in known if key == "exclusiveMaximum")
            yield from (f"a multiple of {known[key]}" for key in known if key == "multipleOf")
            yield from (f"matches {known[key]}" for key in known if key == "pattern")


def _range(known: dict[str, object], least: str, most: str, noun: str) -> Iterator[str]:
    low, high = known.get(least), known.get(most)
    if low is not None and high is not None:
        yield f"{low}{noun}" if low == high else f"{low} to {high}{noun}"
    elif low == 1 and noun:
        yield "not empty"
    elif low is not None:
        yield f"at least {low}{noun}"
    elif high is not None:
        yield f"at most {high}{noun}"
