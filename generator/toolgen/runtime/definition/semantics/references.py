"""Check references: they name a schema, and do not lead back to themselves at the same value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.runtime.definition.faults import SpecFault
from toolgen.schema.document import JsonPath, Located, SchemaDocument, follow, in_place_subschemas, subschemas


def find_dangling(document: SchemaDocument) -> Iterator[SpecFault]:
    """Yield one fault for every reference that names nothing in the document, which is all that there is."""
    for here, node in subschemas(document.schema):
        for keyword, found in document.references(node, here):
            if isinstance(found, Located) or found.candidates:
                continue
            if found.is_elsewhere:
                message = f"{quoted(node[keyword])} names another document, which is not read"
                yield SpecFault((*here, keyword), "remote-ref", message, "copy the schema into `$defs`")
            else:
                yield dangling((*here, keyword), node[keyword], document.schema.get("$defs", ()))


def dangling(path: JsonPath, ref: str, known: Iterable[str]) -> SpecFault:
    """Return the fault of the reference at `path`, which names nothing; `known` are the `$defs` there."""
    near = did_you_mean(ref.removeprefix("#/$defs/"), sorted(known))
    hint = near or "`#` is the root of the schema, `input_schema` for one; its `$defs` are below that"
    return SpecFault(path, "dangling-ref", f"{quoted(ref)} names nothing in this schema", hint)


def find_loops(document: SchemaDocument) -> Iterator[SpecFault]:
    """Yield one fault for every loop in a schema whose references all lead to places inside it."""
    schema = document.schema
    steps: dict[JsonPath, list[JsonPath]] = {}
    waiting = [path for path, node in subschemas(schema) if isinstance(node.get("$ref"), str)]
    for path in waiting:  # grows
        if path not in steps:
            steps[path] = list(_steps(document, path))
            waiting += steps[path]
    while loop := _loop_in(steps):
        places = [place for place in loop if isinstance(follow(schema, place).get("$ref"), str)]
        refs = [str(follow(schema, place)["$ref"]) for place in places]
        first, *others = [(*place, "$ref") for place in places]
        yield SpecFault(
            first,
            "looping-ref",
            f"this `$ref` leads back to itself without reaching a schema: {' → '.join([*refs, refs[0]])}",
            "recurse through `properties` or `items`, or write the schema itself here",
            others=tuple(others),
            about_other="and through here",
        )
        for place in loop:
            del steps[place]


def _loop_in(steps: Mapping[JsonPath, Iterable[JsonPath]]) -> list[JsonPath]:
    """Return the places of one loop, from its first in the schema; an empty list if there is none."""
    try:
        TopologicalSorter(steps).prepare()
    except CycleError as error:
        loop: list[JsonPath] = error.args[1][:0:-1]
        first = loop.index(next(place for place in steps if place in loop))
        return [*loop[first:], *loop[:first]]
    return []


def _steps(document: SchemaDocument, here: JsonPath) -> Iterator[JsonPath]:
    # Conditions count, too: a schema that may never end must not be run (2020-12 core, section 9.4.1).
    node = follow(document.schema, here)
    if not isinstance(node, dict):
        return
    target = document.target(node.get("$ref"), here)
    if isinstance(target, Located):
        yield target.path
    for inner, _ in in_place_subschemas(node, here):
        yield inner
