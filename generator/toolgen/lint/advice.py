"""What a schema says and nobody will see enforced: worth a word, and no reason to refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from toolgen.data.diagnostic import Diagnostic
from toolgen.references.bundle import Bound
from toolgen.runtime.validation.compiled_schema import PATTERNS, compiled
from toolgen.runtime.validation.complexity import Effort
from toolgen.schema.document import Draft, Path, draft_of, format_pointer, subschemas
from toolgen.schema.keywords import FORMATS, KEYWORDS
from toolgen.schema.patterns import enforceable
from toolgen.suggestions import did_you_mean, quoted, shortened

_LATEST = "https://json-schema.org/draft/2020-12/schema"
_SIMPLE = frozenset(("type", "title", "description", "default"))
_LOCATED = frozenset(("$ref", "$dynamicRef", "$id"))  # what depends on the schema around
_INTERESTING = frozenset(("default", "required", "format", "enum", "$ref"))

_FITS: Mapping[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    ),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def advise(bound: Bound) -> Iterator[Diagnostic]:
    """Warnings about one bound schema, each where it was written."""

    @cache
    def whole() -> jsonschema_rs.ValidatorMap:
        # Compiles every schema inside: dear, and needed only for defaults of what refers to something.
        return jsonschema_rs.validator_map_for(
            enforceable(bound.schema), offline=True, validate_formats=True, pattern_options=PATTERNS
        )

    if bound.path == ("output_schema",) and bound.schema.get("type") != "object":
        yield Diagnostic(
            bound.value(("type",)) if "type" in bound.schema else bound.key(()),
            "output-not-object",
            "MCP clients up to 2025-11-25 take objects only, and get this as the `result` of one",
            "wrap another value: type object with one property, `result` for one",
        )
    draft7 = draft_of(bound.schema) is Draft.DRAFT_7
    for path, node in subschemas(bound.schema):
        if not KEYWORDS.issuperset(node):
            yield from _unenforced(bound, path, node)
        if _INTERESTING.isdisjoint(node):
            continue
        if "default" in node:
            yield from _defaults(bound, path, node, whole)
        if "required" in node and node.get("additionalProperties") is False:
            yield from _unsatisfiable(bound, path, node)
        if "enum" in node and isinstance(node.get("type"), str):
            yield from _outside_type(bound, path, node)
        if "format" in node and node["format"] not in FORMATS:
            yield from _format(bound, path, node["format"])
        if (
            draft7
            and "$ref" in node
            and node.keys() - {"$ref", "description", "title", "$comment", "default"}
        ):
            yield Diagnostic(
                bound.key((*path, "$ref")),
                "ignored-sibling",
                "draft-07 ignores every keyword beside a `$ref`",
                "put the `$ref` into `allOf`, or drop `$schema` for 2020-12",
            )


def _unenforced(bound: Bound, path: Path, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for key in node:
        if key in KEYWORDS or key.startswith("x-"):
            continue
        if key == "nullable":
            hint = 'write `type: [string, "null"]`'
        elif isinstance(node[key], dict) and "type" in node[key]:
            hint = "a property stands below `properties`"
        else:
            hint = "it is published as it is; call it x-… to say that this is meant"
        yield Diagnostic(
            bound.key((*path, key)),
            "unenforced-keyword",
            f"{quoted(key)} is not a keyword of JSON Schema, and nothing enforces it",
            hint,
        )


def _format(bound: Bound, path: Path, name: object) -> Iterator[Diagnostic]:
    shown = quoted(str(name))
    hint = (
        did_you_mean(str(name), FORMATS, cutoff=0.75)
        or "it is published as it is; a `pattern` would be enforced"
    )
    if str(name).lower() == "datetime":
        hint = "did you mean 'date-time'?"
    yield Diagnostic(
        bound.value((*path, "format")),
        "unenforced-format",
        f"the format {shown} is not known, and not enforced",
        hint,
    )


def _outside_type(bound: Bound, path: Path, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    fits = _FITS[node["type"]]
    for index, value in enumerate(node["enum"]):
        if not fits(value):
            yield Diagnostic(
                bound.value((*path, "enum", index)),
                "enum-outside-type",
                f"{_short(value)} is not of type {node['type']}, so no value can equal it",
                "quote it if text is meant" if node["type"] == "string" else "remove it, or change the type",
            )


def _unsatisfiable(bound: Bound, path: Path, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    declared = node.get("properties", {})
    patterns = node.get("patternProperties", {})
    for index, name in enumerate(node["required"]):
        if name in declared or any(_matches(pattern, name) for pattern in patterns):
            continue
        yield Diagnostic(
            bound.value((*path, "required", index)),
            "unsatisfiable-required",
            f"{quoted(name)} is required, and additionalProperties: false forbids it",
            did_you_mean(name, declared) or "declare it under `properties`",
        )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def _matches(pattern: str, name: str) -> bool:
    """By the validator's engine, whose work has a limit."""
    return bool(compiled({"pattern": pattern}).is_valid(name))


def _defaults(
    bound: Bound, path: Path, node: Mapping[str, Any], whole: Callable[[], jsonschema_rs.ValidatorMap]
) -> Iterator[Diagnostic]:
    value = node["default"]
    kind = node.get("type")
    if node.keys() <= _SIMPLE and isinstance(kind, str) and _FITS[kind](value):
        return
    if any(not _LOCATED.isdisjoint(inner) for _, inner in subschemas(node)):
        validator = whole().get("#" + format_pointer(path))
    else:
        validator = compiled({**node, "$schema": bound.schema.get("$schema", _LATEST)})
    effort = Effort(bound.schema)
    if validator is None or not effort.checks(value, node) or validator.is_valid(value):
        return
    why = ""
    if effort.explains(value, node):
        why = f": {shortened(next(iter(validator.iter_errors(value))).message)}"
    yield Diagnostic(
        bound.value((*path, "default")),
        "default-violates-schema",
        f"the default does not fit its own schema{why}",
        "it is published as it is, and never sent",
    )
