"""Check that a schema is valid JSON Schema, before its references are followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

from toolgen.base.suggestions import nearest, quoted, shortened, suggest
from toolgen.runtime.definition.faults import SpecFault
from toolgen.runtime.definition.semantics.schema_hints import fits_keyword, is_foreign, shape_hint, type_hint
from toolgen.schema.budget import Excess, find_oversized
from toolgen.schema.document import Draft, JsonPath, draft_of, subschemas
from toolgen.schema.keywords import FOREIGN, IN_PLACE, KEYWORDS, REFERENCES, TYPES
from toolgen.schema.validator import compiled

_DECLARING: Final = IN_PLACE.union(REFERENCES, ("patternProperties",))
_MAX_COMPARED: Final = 50  # required names of one schema: each comparison takes time
_SIMILAR: Final = 0.75  # two letters of `name` in the wrong order


def too_complex(path: JsonPath, excess: Excess, *, of_key: bool = False) -> SpecFault:
    """Return the fault of a schema at `path` that exceeds a limit."""
    return SpecFault((*path, *excess.path), "too-complex", excess.message, excess.hint, of_key=of_key)


def check_schema(
    schema: Mapping[str, Any], path: JsonPath, outer: Mapping[str, Any] | None = None
) -> Iterator[SpecFault]:
    """Yield the faults of the schema at `path`, by its draft.

    `outer` holds the `$schema` of a file of shared schemas, if it has one.
    """
    draft = draft_of(schema if "$schema" in schema else outer)
    if draft is None:
        named = schema.get("$schema", (outer or {}).get("$schema"))
        yield SpecFault(
            (*path, "$schema") if "$schema" in schema else ("$schema",),
            "unknown-draft",
            f"{quoted(str(named))} is not a draft that toolgen supports",
            "leave it out for 2020-12, or write http://json-schema.org/draft-07/schema#",
        )
        return
    # A schema beyond the limits is looked at no further: the time of all checks below grows with its size.
    too_large = [too_complex(path, excess, of_key=True) for excess in find_oversized(schema)]
    if too_large:
        yield from too_large
        return
    has_undeclared = False
    for here, node in subschemas(schema, path):
        if not KEYWORDS.issuperset(node):
            yield from _misspelt(here, node)
        if "required" in node and not has_undeclared:
            has_undeclared = not _names(node, "properties").keys() >= _names(node, "required").keys()
        if "pattern" in node or "patternProperties" in node:
            yield from _patterns(here, node)
    if has_undeclared:
        yield from _misspelt_required([*subschemas(schema, path)])
    if not jsonschema_rs.meta.is_valid({**(outer or {}), **schema}):
        yield from _meta_faults(path, schema, draft)


def _misspelt(path: JsonPath, node: Mapping[str, Any]) -> Iterator[SpecFault]:
    for key in node:
        if key in KEYWORDS or key in FOREIGN or is_foreign(key) or key.startswith("x-"):
            continue
        meant = nearest(key, KEYWORDS, cutoff=0.8)
        if meant is not None and meant not in node and fits_keyword(meant, node[key]):
            message = f"{quoted(key)} is not a keyword of JSON Schema, and would be ignored"
            yield SpecFault((*path, key), "misspelt-keyword", message, suggest(key, meant), of_key=True)


def _misspelt_required(nodes: Sequence[tuple[JsonPath, Mapping[str, Any]]]) -> Iterator[SpecFault]:
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
                message = f"{quoted(name)} is required, and no property has this name"
                where = (*here, "required", required[name])
                yield SpecFault(where, "misspelt-required", message, suggest(name, meant))


def _names(node: Mapping[str, Any], keyword: str) -> dict[str, int]:
    """Return the names in `properties` or `required` with their indices; none if it is not valid."""
    value = node.get(keyword)
    names = list(value) if isinstance(value, dict | list) else []
    are_valid = all(isinstance(name, str) for name in names)
    return {name: index for index, name in enumerate(names)} if are_valid else {}


def _patterns(path: JsonPath, node: Mapping[str, Any]) -> Iterator[SpecFault]:
    found: list[tuple[JsonPath, object, bool]] = [((*path, "pattern"), node.get("pattern"), False)]
    if isinstance(node.get("patternProperties"), dict):
        found += [((*path, "patternProperties", key), key, True) for key in node["patternProperties"]]
    for where, pattern, is_key in found:
        if isinstance(pattern, str) and not compiles(pattern):
            yield SpecFault(where, "invalid-pattern", *_why(pattern), of_key=is_key)


@lru_cache
def compiles(pattern: str) -> bool:
    """True if the validator accepts the pattern, so that it can be enforced."""
    try:
        compiled({"pattern": pattern})
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


def _meta_faults(path: JsonPath, schema: Mapping[str, Any], draft: Draft) -> Iterator[SpecFault]:
    """Yield every fault that the meta-schema finds, each at its outermost place."""
    faults: dict[JsonPath, tuple[str, Any]] = {}
    meta_schema = {"$schema": draft.value, "$ref": draft.value}
    for error in jsonschema_rs.validator_for(meta_schema, offline=True).iter_errors(schema):
        faults.setdefault((*path, *error.instance_path), (error.message, error.instance))
    for where, (message, value) in faults.items():
        inner = where[len(path) :]
        keyword = next((step for step in reversed(inner) if isinstance(step, str)), "")
        if keyword == "type" and inner[-2:-1] not in (("properties",), ("$defs",)):
            yield _unknown_type(where, value)
            continue
        hint = shape_hint(schema, inner, value, message)
        text = f"invalid JSON Schema at {keyword!r}: {shortened(message)}"
        yield SpecFault(where, "invalid-schema", text, hint)


def _unknown_type(path: JsonPath, value: Any) -> SpecFault:
    """Return the fault of a `type` that is neither one of JSON Schema's nor a list of some."""
    listed = value if isinstance(value, list) else [value]
    unknown = [(place, each) for place, each in enumerate(listed) if each not in TYPES]
    if not unknown:
        message = "a list of types names one at least, and none twice"
        return SpecFault(path, "unknown-type", message, "known: " + ", ".join(TYPES))
    place, name = unknown[0]
    where = (*path, place) if isinstance(value, list) else path
    if name is None:
        message = 'the type is "null", and null without quotes is not a string'
        return SpecFault(where, "unknown-type", message, 'write "null", in quotes')
    if not isinstance(name, str):
        return SpecFault(where, "unknown-type", "a type must be a string", "known: " + ", ".join(TYPES))
    return SpecFault(where, "unknown-type", f"unknown type {quoted(name)}", type_hint(name))
