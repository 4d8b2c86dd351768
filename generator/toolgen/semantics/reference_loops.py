"""Check for references that lead back to themselves at the same value, which no validator can resolve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.data.diagnostic import Diagnostic, Note
from toolgen.references.bundle import Bound
from toolgen.references.scope import scope_of
from toolgen.schema.document import JsonPath, follow, in_place_subschemas, locate, parse_pointer


def find_loops(bound: Bound) -> Iterator[Diagnostic]:
    """Yield one fault for every loop in a bound schema."""
    schema = bound.schema
    scope = scope_of(schema)
    starts = [reference.path for reference in scope.references if reference.keyword == "$ref"]
    done: set[JsonPath] = set()
    for start in starts:
        trail = _loop_from(schema, start, scope.anchors, done)
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


def _loop_from(
    schema: Any, start: JsonPath, anchors: Mapping[str, JsonPath], done: set[JsonPath]
) -> list[JsonPath]:
    """Return a path of references from a schema back to itself that begins at `start`; empty without one."""
    trail: list[JsonPath] = []
    stack: list[tuple[JsonPath, Iterator[JsonPath]]] = [(start, _steps(schema, start, anchors))]
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
            stack.append((step, _steps(schema, step, anchors)))
    return []


def _steps(schema: Any, here: JsonPath, anchors: Mapping[str, JsonPath]) -> Iterator[JsonPath]:
    node = follow(schema, here)
    if not isinstance(node, dict):
        return
    ref = node.get("$ref")
    if isinstance(ref, str) and ref.startswith("#"):
        path = anchors.get(ref[1:]) if ref[1:] and not ref.startswith("#/") else parse_pointer(ref[1:])
        target = None if path is None else locate(schema, path)
        if target is not None and isinstance(target.value, dict | bool):
            yield target.path
    for inner, _ in in_place_subschemas(node, here):
        yield inner
