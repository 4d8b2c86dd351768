"""Ask the engine the same question in other words: its own witnesses may refute its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.proof.containment import NotContained, check_containment
from toolgen.schema.document import draft_of
from toolgen.schema.validator import compiled

from tools.breaking.pairs import Pair
from tools.breaking.schema_edits import same_json

_ROOT = ("$schema", "$id", "$defs", "definitions")


def witnesses_of_rephrased(pair: Pair) -> Iterator[Any]:
    """Yield values that are witnesses if "contained" is wrong."""
    for narrow, wide in _questions(pair.narrow, pair.wide):
        verdict = check_containment(narrow, wide)
        if isinstance(verdict, NotContained):
            yield verdict.witness


def _questions(narrow: Mapping[str, Any], wide: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    yield _twice_negated(narrow), _twice_negated(wide)
    yield _negated(wide), _negated(narrow)
    difference = _difference(narrow, wide)
    if difference is not None and _is_enforceable(difference):
        yield difference, False


def _split(schema: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what belongs to the root of a document, and the rest."""
    root = {key: schema[key] for key in _ROOT if key in schema}
    return root, {key: value for key, value in schema.items() if key not in root}


def _negated(schema: Mapping[str, Any]) -> dict[str, Any]:
    root, rest = _split(schema)
    return {**root, "not": rest}


def _twice_negated(schema: Mapping[str, Any]) -> dict[str, Any]:
    root, rest = _split(schema)
    return {**root, "not": {"anyOf": [{"not": rest}]}}


def _difference(narrow: Mapping[str, Any], wide: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a schema of the values that only `narrow` accepts; None if the two cannot be in one document."""
    (narrow_root, narrow_rest), (wide_root, wide_rest) = _split(narrow), _split(wide)
    if draft_of(narrow) is not draft_of(wide) or "$id" in narrow or "$id" in wide:
        return None
    root = {**narrow_root, **wide_root}
    for key in ("$defs", "definitions"):
        one, other = narrow_root.get(key, {}), wide_root.get(key, {})
        if any(not same_json(one[name], other[name]) for name in one.keys() & other.keys()):
            return None
        if one or other:
            root[key] = {**one, **other}
    return {**root, "allOf": [narrow_rest, {"not": wide_rest}]}


def _is_enforceable(schema: Mapping[str, Any]) -> bool:
    try:
        compiled(schema)
    except ValueError:
        return False
    return True
