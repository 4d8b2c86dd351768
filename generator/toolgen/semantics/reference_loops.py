"""Check for references that lead back to themselves at the same value, which no validator can resolve."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.data.diagnostic import Diagnostic, Note
from toolgen.references.bundle import Bound
from toolgen.schema.document import (
    JsonPath,
    Located,
    SchemaDocument,
    follow,
    in_place_subschemas,
    subschemas,
)


def find_loops(bound: Bound) -> Iterator[Diagnostic]:
    """Yield one fault for every loop in a bound schema."""
    schema = bound.schema
    starts = [path for path, node in subschemas(schema) if isinstance(node.get("$ref"), str)]
    done: set[JsonPath] = set()
    for start in starts:
        trail = _loop_from(bound.document, start, done)
        if trail:
            places = [place for place in trail if isinstance(follow(schema, place).get("$ref"), str)]
            refs = [str(follow(schema, place)["$ref"]) for place in places]
            notes = tuple(Note(bound.value((*place, "$ref")), "and through here") for place in places[1:])
            yield Diagnostic(
                bound.value((*places[0], "$ref")),
                "looping-ref",
                f"this `$ref` leads back to itself without reaching a schema: {' → '.join([*refs, refs[0]])}",
                "recurse through `properties` or `items`, or write the schema itself here",
                notes,
            )


def _loop_from(document: SchemaDocument, start: JsonPath, done: set[JsonPath]) -> list[JsonPath]:
    """Return a path of references from a schema back to itself that begins at `start`; empty without one."""
    trail: list[JsonPath] = []
    stack: list[tuple[JsonPath, Iterator[JsonPath]]] = [(start, _steps(document, start))]
    while stack:
        here, following = stack[-1]
        if here not in done and (not trail or trail[-1] != here):
            trail.append(here)
        step = next(following, None)
        if step is None:
            done.add(here)
            stack.pop()
            trail = [place for place, _ in stack]
        elif step in trail:
            done.update(trail)
            return trail[trail.index(step) :]
        elif step not in done:
            stack.append((step, _steps(document, step)))
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
