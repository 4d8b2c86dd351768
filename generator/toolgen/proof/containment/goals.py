"""Goals of the search: what one value has to satisfy, and what follows from it for values of each type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.evaluate import Evaluator, UndecidedError
from toolgen.proof.containment.formulas import FALSE, TRUE, Formula, Formulas
from toolgen.proof.containment.translate import Translator

Goal = frozenset[Formula]
"""Formulas that one value has to satisfy."""

_FEW: Final = 60  # values that are tried one by one


@dataclass(frozen=True, slots=True)
class Parts:
    """A formula for values of one type: constraints, all of which hold, and choices that are still open."""

    constraints: tuple[Formula, ...]
    choices: tuple[Formula, ...]  # `All` that does not hold, `ExactlyOne`, `If`
    implied: tuple[Formula, ...]  # all formulas that were taken apart, and the choices


@dataclass(slots=True)
class State:
    """Assumptions about a value of one type, on the way to a decision."""

    constraints: dict[Formula, None] = field(default_factory=dict)
    facts: set[Formula] = field(default_factory=set)  # all that was assumed
    choices: dict[Formula, None] = field(default_factory=dict)
    values: frozenset[Any] | None = None  # the keys of the only values that are left
    properties: dict[str, frozenset[Any]] = field(default_factory=dict)  # the same for properties
    required: set[str] = field(default_factory=set)
    closed: frozenset[str] | None = None  # the only names that an object may have

    def copy(self) -> State:
        """Return a copy that can be changed."""
        return replace(
            self,
            constraints=dict(self.constraints),
            facts=set(self.facts),
            choices=dict(self.choices),
            properties=dict(self.properties),
            required=set(self.required),
        )


Option = tuple[Formula, ...]
"""One way to satisfy a choice: formulas that then hold. The choice is one of them if it stays open."""


class Knowledge:
    """The consequences of formulas for values of each type."""

    def __init__(self, formulas: Formulas, translator: Translator, evaluator: Evaluator) -> None:
        self._formulas = formulas
        self._translator = translator
        self._evaluator = evaluator
        self._parts: dict[tuple[Formula, str], Parts | None] = {}
        self._finite: dict[Formula, frozenset[Any] | None] = {}

    def parts(self, formula: Formula, type_: str) -> Parts | None:
        """Return what `formula` says of values of `type_`; None if it holds for none of them."""
        key = (formula, type_)
        if key not in self._parts:
            self._parts[key] = self._take_apart(formula, type_)
        return self._parts[key]

    def _take_apart(self, formula: Formula, type_: str) -> Parts | None:
        constraints, choices, seen = dict[Formula, None](), dict[Formula, None](), dict[Formula, None]()
        stack = [formula]
        while stack:
            part = stack.pop()
            if part == TRUE or part in seen:
                continue
            if part == FALSE or -part in seen:
                return None
            seen[part] = None
            sign = 1 if part > 0 else -1
            match self._formulas.node(part):
                case kinds.HasType(wanted):
                    if (wanted == type_) != (part > 0):
                        return None
                case kinds.OfType(wanted, inner):
                    if wanted == type_:
                        stack.append(sign * inner)
                    elif part < 0:
                        return None
                case kinds.AcceptedBy() as node:
                    stack.append(sign * self._translator.translate(node))
                case kinds.All(inner_parts) if part > 0:
                    stack += reversed(inner_parts)
                case kinds.All() | kinds.ExactlyOne() | kinds.If():
                    choices[part] = None
                case kinds.Values(keys):
                    self._formulas.effort.spend(len(keys))
                    of_type = frozenset(key for key in keys if _type_of_key(key) == type_)
                    if of_type:
                        constraints[sign * self._formulas.add(kinds.Values(of_type))] = None
                    elif part > 0:
                        return None
                case node:
                    constraints[part] = None
                    if part < 0 and isinstance(node, kinds.Property):
                        constraints[self._formulas.add(kinds.Has(node.name))] = None
        if any(-part in constraints for part in constraints) or any(-part in choices for part in choices):
            return None
        return Parts(tuple(constraints), tuple(choices), tuple(seen))

    # Assumptions

    def assume(self, state: State, formulas: Iterable[Formula], type_: str) -> bool:
        """Add `formulas` to `state`; False if they contradict it."""
        for formula in formulas:
            parts = self.parts(formula, type_)
            if parts is None:
                return False
            self._formulas.effort.spend(len(parts.implied))
            for constraint in parts.constraints:
                if not self._assume_constraint(state, constraint):
                    return False
            if any(-fact in state.facts for fact in parts.implied):
                return False
            state.choices.update(dict.fromkeys(parts.choices))
            state.facts.update(parts.implied)
        return True

    def _assume_constraint(self, state: State, constraint: Formula) -> bool:
        if constraint in state.constraints:
            return True
        if self._is_known(state, constraint) is False:
            return False
        state.constraints[constraint] = None
        match self._formulas.node(constraint):
            case kinds.Values(keys) if constraint > 0:
                state.values = keys if state.values is None else state.values & keys
                return bool(state.values)
            case kinds.Property(name, part) if constraint > 0:
                if (finite := self._finite_values(part)) is not None:
                    state.properties[name] = state.properties.get(name, finite) & finite
            case kinds.Has(name) if constraint > 0:
                state.required.add(name)
            # `additionalProperties: false` without patterns; -1 is `FALSE`.
            case kinds.Others(names, (), -1) if constraint > 0:
                state.closed = names if state.closed is None else state.closed & names
                return state.required <= state.closed
        return True

    def _finite_values(self, formula: Formula) -> frozenset[Any] | None:
        """Return the keys of the only values that can satisfy `formula`, if there are few."""
        if formula not in self._finite:
            self._finite[formula] = self._find_finite_values(formula)
        return self._finite[formula]

    def _find_finite_values(self, formula: Formula) -> frozenset[Any] | None:
        found = set[Any]()
        for type_ in kinds.TYPES:
            parts = self.parts(formula, type_)
            if parts is None:
                continue
            values = [
                node.keys
                for constraint in parts.constraints
                if constraint > 0 and isinstance(node := self._formulas.node(constraint), kinds.Values)
            ]
            if not values:
                return None
            found |= frozenset.intersection(*values)
        return frozenset(found) if len(found) <= _FEW else None

    # Conclusions

    def _is_known(self, state: State, constraint: Formula) -> bool | None:
        """True or False if `state` decides `constraint`, None if it does not."""
        if constraint in state.constraints:
            return True
        if -constraint in state.constraints:
            return False
        values: frozenset[Any] | None = None
        part = constraint
        match self._formulas.node(constraint):
            case kinds.Has(name) if state.closed is not None and name not in state.closed:
                return constraint < 0
            case kinds.Property(name, inner):
                has = self._formulas.add(kinds.Has(name))
                if -has in state.constraints:
                    return constraint > 0
                if has not in state.constraints:
                    return None
                values, part = state.properties.get(name), inner if constraint > 0 else -inner
            case kinds.Values() | kinds.Whole() | kinds.AtLeast() | kinds.LengthAtLeast():
                values = state.values
        if values is None or len(values) > _FEW:
            return None
        try:
            verdicts = {self._evaluator.holds(part, self._formulas.values[key]) for key in values}
        except UndecidedError:
            return None
        return verdicts.pop() if len(verdicts) == 1 else None

    def is_decided(self, state: State, formula: Formula, type_: str) -> bool | None:
        """True or False if `state` decides `formula`, None if it does not."""
        if formula in state.facts:
            return True
        parts = self.parts(formula, type_)
        self._formulas.effort.spend(0 if parts is None else len(parts.implied))
        if parts is None or any(-fact in state.facts for fact in parts.implied):
            return False
        is_open = any(choice not in state.facts for choice in parts.choices)
        for constraint in parts.constraints:
            known = self._is_known(state, constraint)
            if known is False:
                return False
            is_open |= known is None
        return None if is_open else True

    def options(self, state: State, choice: Formula, type_: str) -> list[Option] | None:
        """Return the ways to satisfy `choice` that `state` leaves; None if it is satisfied already."""
        node = self._formulas.node(choice)
        if isinstance(node, kinds.All):
            negated = [-part for part in node.parts]
            decided = [self.is_decided(state, part, type_) for part in negated]
            if True in decided:
                return None
            return [(part,) for part, known in zip(negated, decided, strict=True) if known is None]
        if isinstance(node, kinds.If):
            then, otherwise = (branch if choice > 0 else -branch for branch in (node.then, node.otherwise))
            ways: list[Option] = [(node.condition, then), (-node.condition, otherwise)]
            left = [way for way in ways if False not in self._decisions(state, way, type_)]
            if any(all(self._decisions(state, way, type_)) for way in left):
                return None
            return left
        return self._options_of_one(state, choice, type_)

    def _decisions(self, state: State, way: Option, type_: str) -> list[bool | None]:
        return [self.is_decided(state, part, type_) for part in way]

    def _options_of_one(self, state: State, choice: Formula, type_: str) -> list[Option] | None:
        node = self._formulas.node(choice)
        assert isinstance(node, kinds.ExactlyOne)
        parts = node.parts
        decided = [self.is_decided(state, part, type_) for part in parts]
        count = decided.count(True)
        still_open = [part for part, known in zip(parts, decided, strict=True) if known is None]
        none = tuple(-part for part in still_open)
        if choice > 0:
            if count > 1:
                return []
            if count == 1:
                return [none] if none else None
            return [(part, *(-other for other in still_open if other != part)) for part in still_open]
        if count > 1:
            return None
        if count == 1:
            return [(part,) for part in still_open]
        if not still_open:
            return None
        return [none, *((part, choice) for part in still_open)]


def _type_of_key(key: Any) -> str:
    if key is None:
        return "null"
    if isinstance(key, tuple):
        return "boolean"
    return "string" if isinstance(key, str) else "number"
