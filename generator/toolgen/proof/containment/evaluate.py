"""Whether a value satisfies a formula. What one text or number satisfies, the validator says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.formulas import TRUE, Formula, Formulas, Node
from toolgen.proof.containment.translate import Translator
from toolgen.schema.document import json_type, value_key
from toolgen.schema.validator import compiled

MOST_LEVELS = 120  # of formulas in formulas, and of the value: this module recurses
_COST_OF_VALIDATOR = 500  # of its construction, where looking at a formula costs one
_SCALARS = (str, int, float, bool, type(None))


class UndecidedError(Exception):
    """A part of the formula is not analysed."""


def type_of(value: Any) -> str:
    """Return the JSON type of `value`, one of `kinds.TYPES`."""
    found = json_type(value)
    return "number" if found == "integer" else found


class Evaluator:
    """Evaluates formulas of one comparison."""

    def __init__(self, formulas: Formulas, translator: Translator) -> None:
        self._formulas = formulas
        self._translator = translator
        self._of_scalars: dict[tuple[Formula, Any, type], bool] = {}
        self._validators: dict[Node, Any] = {}
        self._levels = 0

    def holds(self, formula: Formula, value: Any) -> bool:
        """True if `value` satisfies `formula`. Raises `UndecidedError`."""
        if abs(formula) == TRUE:
            return formula > 0
        if not isinstance(value, _SCALARS):
            return self._evaluate_bounded(abs(formula), value) == (formula > 0)
        key = (abs(formula), value_key(value), type(value))
        if key not in self._of_scalars:
            self._of_scalars[key] = self._evaluate_bounded(abs(formula), value)
        return self._of_scalars[key] == (formula > 0)

    def matches(self, pattern: str, text: str) -> bool:
        """True if `text` has a match of `pattern`."""
        return self.holds(self._formulas.add(kinds.Pattern(pattern)), text)

    def _evaluate_bounded(self, formula: Formula, value: Any) -> bool:
        if self._levels > MOST_LEVELS:
            raise UndecidedError
        self._levels += 1
        try:
            return self._evaluate(formula, value)
        finally:
            self._levels -= 1

    def _evaluate(self, formula: Formula, value: Any) -> bool:
        match self._formulas.node(formula):
            case kinds.All(parts):
                return all(self.holds(part, value) for part in parts)
            case kinds.ExactlyOne(parts):
                return sum(self.holds(part, value) for part in parts) == 1
            case kinds.If(condition, then, otherwise):
                return self.holds(then if self.holds(condition, value) else otherwise, value)
            case kinds.OfType(type_, part):
                return type_of(value) != type_ or self.holds(part, value)
            case kinds.AcceptedBy() as node:
                return self.holds(self._translator.translate(node), value)
            case kinds.HasType(type_):
                return type_of(value) == type_
            case kinds.Values(keys):
                return isinstance(value, _SCALARS) and value_key(value) in keys
            case kinds.Opaque():
                raise UndecidedError
            case node if isinstance(value, list):
                return self._array(node, value)
            case node if isinstance(value, dict):
                return self._object(node, value)
            case node:
                return self._scalar(node, value)

    def _scalar(self, node: Node, value: Any) -> bool:
        if node not in self._validators:
            self._formulas.effort.spend(_COST_OF_VALIDATOR)
            try:
                self._validators[node] = compiled(_keyword(node))
            except ValueError as error:
                raise UndecidedError from error
        accepted: bool = self._validators[node].is_valid(value)
        return accepted

    def _array(self, node: Node, value: list[Any]) -> bool:
        match node:
            case kinds.ItemsAtLeast(count):
                return len(value) >= count
            case kinds.Item(index, part):
                return len(value) <= index or self.holds(part, value[index])
            case kinds.ItemsFrom(index, part):
                return all(self.holds(part, item) for item in value[index:])
            case kinds.ContainsAtLeast(part, count):
                return sum(self.holds(part, item) for item in value) >= count
            case kinds.Distinct():
                return len({value_key(item) for item in value}) == len(value)
        raise AssertionError(node)

    def _object(self, node: Node, value: Mapping[str, Any]) -> bool:
        match node:
            case kinds.PropertiesAtLeast(count):
                return len(value) >= count
            case kinds.Has(name):
                return name in value
            case kinds.Property(name, part):
                return name not in value or self.holds(part, value[name])
            case kinds.Matching(pattern, part):
                return all(
                    self.holds(part, inner) for name, inner in value.items() if self.matches(pattern, name)
                )
            case kinds.Others(names, patterns, part):
                return all(
                    self.holds(part, inner)
                    for name, inner in value.items()
                    if name not in names and not any(self.matches(pattern, name) for pattern in patterns)
                )
            case kinds.Names(part):
                return all(self.holds(part, name) for name in value)
        raise AssertionError(node)


def _keyword(node: Node) -> dict[str, Any]:
    """Return the schema of a constraint on a number or a text."""
    match node:
        case kinds.Whole():
            return {"type": "integer"}
        case kinds.AtLeast(limit, inclusive):
            return {"minimum" if inclusive else "exclusiveMinimum": limit}
        case kinds.MultipleOf(divisor):
            return {"multipleOf": divisor}
        case kinds.LengthAtLeast(count):
            return {"minLength": count}
        case kinds.Pattern(pattern):
            return {"pattern": pattern}
        case kinds.HasFormat(name):
            return {"format": name}
    raise AssertionError(node)
