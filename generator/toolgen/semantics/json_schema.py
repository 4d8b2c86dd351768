"""Check that a schema is valid JSON Schema, before its references are followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Source, Span
from toolgen.schema.budget import Excess, find_oversized
from toolgen.schema.document import Draft, JsonPath, draft_of, subschemas
from toolgen.schema.keywords import FOREIGN, IN_PLACE, KEYWORDS, REFERENCES, TYPES
from toolgen.schema.patterns import translate_pattern
from toolgen.schema.validator import PATTERNS
from toolgen.semantics.schema_hints import fits_keyword, is_foreign, shape_hint, type_hint
from toolgen.suggestions import nearest, quoted, suggest

_DECLARING: Final = IN_PLACE.union(REFERENCES, ("patternProperties",))
_MAX_COMPARED: Final = 50  # required names of one schema: each comparison takes time
_SIMILAR: Final = 0.75  # two letters of `name` in the wrong order


def too_complex(place: Callable[[JsonPath], Span], path: JsonPath, excess: Excess) -> Diagnostic:
    """Return the fault of a schema at `path` that exceeds a limit; `place` gives the span of a path."""
    return Diagnostic(place((*path, *excess.path)), "too-complex", excess.message, excess.hint)


def check_schema(
    source: Source, path: JsonPath, schema: Mapping[str, Any], outer: Mapping[str, Any] | None = None
) -> Iterator[Diagnostic]:
    """Yield the faults of one schema by its draft; `outer` holds the `$schema` of the file, if it has one."""
    draft = draft_of(schema if "$schema" in schema else outer)
    if draft is None:
        where = source.value((*path, "$schema")) if "$schema" in schema else source.value(("$schema",))
        named = schema.get("$schema", (outer or {}).get("$schema"))
        yield Diagnostic(
            where,
            "unknown-draft",
            f"{quoted(str(named))} is not a draft that toolgen supports",
            "leave it out for 2020-12, or write http://json-schema.org/draft-07/schema#",
        )
        return
    # A schema beyond the limits is looked at no further: the time of all checks below grows with its size.
    too_large = [too_complex(source.key, path, excess) for excess in find_oversized(schema)]
    if too_large:
        yield from too_large
        return
    reported: set[JsonPath] = set()
    has_undeclared = False
    for here, node in subschemas(schema, path):
        if not KEYWORDS.issuperset(node):
            yield from _misspelt(source, here, node)
        if "required" in node and not has_undeclared:
            has_undeclared = not _names(node, "properties").keys() >= _names(node, "required").keys()
        if "type" in node and not (isinstance(node["type"], str) and node["type"] in TYPES):
            reported.add((*here, "type"))
            yield from _types(source, (*here, "type"), node["type"])
        if "pattern" in node or "patternProperties" in node:
            yield from _patterns(source, here, node)
    if has_undeclared:
        yield from _misspelt_required(source, [*subschemas(schema, path)])
    if not jsonschema_rs.meta.is_valid({**(outer or {}), **schema}):
        yield from _meta_faults(source, path, schema, draft, reported)


def _misspelt(source: Source, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for key in node:
        if key in KEYWORDS or key in FOREIGN or is_foreign(key) or key.startswith("x-"):
            continue
        meant = nearest(key, KEYWORDS, cutoff=0.8)
        if meant is not None and meant not in node and fits_keyword(meant, node[key]):
            yield Diagnostic(
                source.key((*path, key)),
                "misspelt-keyword",
                f"{quoted(key)} is not a keyword of JSON Schema, and would be ignored",
                suggest(key, meant),
            )


def _misspelt_required(
    source: Source, nodes: Sequence[tuple[JsonPath, Mapping[str, Any]]]
) -> Iterator[Diagnostic]:
    """Yield a fault for each required name that no schema declares, and that is almost a property's."""
    declared = set[str]().union(*(_names(node, "properties") for _, node in nodes))
    for here, node in nodes:
        # Other schemas for the same object may declare the name, those of other files, too.
        if declared.issuperset(_names(node, "required")) or not _DECLARING.isdisjoint((*node, *here[-2:])):
            continue
        required = _names(node, "required")
        optional = [name for name in _names(node, "properties") if name not in required]
        # From the last, so that an import can remove one after the other.
        for name in [name for name in reversed(required) if name not in declared][:_MAX_COMPARED]:
            if meant := nearest(name, optional, _SIMILAR):
                yield Diagnostic(
                    source.value((*here, "required", required[name])),
                    "misspelt-required",
                    f"{quoted(name)} is required, and no property has this name",
                    suggest(name, meant),
                )


def _names(node: Mapping[str, Any], keyword: str) -> dict[str, int]:
    """Return the names in `properties` or `required` with their indices; none if it is not valid."""
    value = node.get(keyword)
    names = list(value) if isinstance(value, dict | list) else []
    are_valid = all(isinstance(name, str) for name in names)
    return {name: index for index, name in enumerate(names)} if are_valid else {}


def _types(source: Source, path: JsonPath, value: object) -> Iterator[Diagnostic]:
    items = (
        [((*path, i), item) for i, item in enumerate(value)] if isinstance(value, list) else [(path, value)]
    )
    if isinstance(value, list) and len(value) != len({repr(item) for item in value}):
        yield Diagnostic(source.value(path), "unknown-type", "this list names a type twice", "remove one")
    if value == []:
        yield Diagnostic(source.value(path), "unknown-type", "this list of types is empty", "name a type")
    for where, item in items:
        if isinstance(item, str) and item in TYPES:
            continue
        if item is None:
            message, hint = (
                'the type is "null", and null without quotes is not a string',
                'write "null", in quotes',
            )
        elif isinstance(item, str):
            message = f"unknown type {quoted(item)}"
            hint = type_hint(item)
            if isinstance(value, list):
                hint = hint.replace("`type: ", "`")
        else:
            message, hint = "a type must be a string", "known: " + ", ".join(TYPES)
        yield Diagnostic(source.value(where), "unknown-type", message, hint)


def _patterns(source: Source, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    found: list[tuple[Callable[[JsonPath], Span], JsonPath, object]] = [
        (source.value, (*path, "pattern"), node.get("pattern"))
    ]
    if isinstance(node.get("patternProperties"), dict):
        found += [(source.key, (*path, "patternProperties", key), key) for key in node["patternProperties"]]
    for place, where, pattern in found:
        if isinstance(pattern, str) and not compiles(pattern):
            yield Diagnostic(place(where), "invalid-pattern", *_why(pattern))


@lru_cache(maxsize=4096)
def compiles(pattern: str) -> bool:
    """True if the validator accepts the pattern, so that it can be enforced."""
    try:
        jsonschema_rs.validator_for(
            {"pattern": translate_pattern(pattern)}, offline=True, pattern_options=PATTERNS
        )
    except ValueError:
        return False
    return True


def _why(pattern: str) -> tuple[str, str]:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return (
            f"the pattern {quoted(pattern)} is not a regular expression: {error}",
            "write a literal bracket as \\[ or \\(",
        )
    return (
        f"the pattern {quoted(pattern)} is Python's, not JSON Schema's",
        "patterns are ECMA-262: $ for \\Z, (?<name>…) for (?P<name>…), {0,3} for {,3}",
    )


def _meta_faults(
    source: Source, path: JsonPath, schema: Mapping[str, Any], draft: Draft, reported: set[JsonPath]
) -> Iterator[Diagnostic]:
    """Yield every fault that the meta-schema finds, each at its outermost place."""
    faults: dict[JsonPath, tuple[str, Any]] = {}
    meta_schema = {"$schema": draft.value, "$ref": draft.value}
    for error in jsonschema_rs.validator_for(meta_schema, offline=True).iter_errors(schema):
        faults.setdefault((*path, *error.instance_path), (error.message, error.instance))
    for where, (message, value) in faults.items():
        if any(where[:depth] in reported for depth in range(len(path), len(where) + 1)):
            continue
        inner = where[len(path) :]
        keyword = next((step for step in reversed(inner) if isinstance(step, str)), "")
        shown = message if len(message) <= 160 else message[:157] + "…"
        hint = shape_hint(schema, inner, value, message)
        yield Diagnostic(
            source.value(where), "invalid-schema", f"invalid JSON Schema at {keyword!r}: {shown}", hint
        )
