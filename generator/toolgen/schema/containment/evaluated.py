"""What `unevaluatedProperties` and `unevaluatedItems` apply to: the parts that no other keyword evaluates.

Which branches of `anyOf`, `if` and the like evaluate a part depends on the value. Each such branch is
decided, one after another; then the keyword is one of `additionalProperties` or `items`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from toolgen.schema.containment.documents import Documents, Subschema
from toolgen.schema.containment.formulas import (
    FALSE,
    TRUE,
    Formula,
    Has,
    Opaque,
    Others,
    Place,
    Unevaluated,
)

if TYPE_CHECKING:  # the translator owns the object of this class
    from toolgen.schema.containment.translate import Translator

_MOST_BRANCHES: Final = 60


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Parts of a value that keywords evaluate."""

    everything: bool = False
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    first: int = 0  # so many items
    containing: frozenset[Formula] = frozenset()  # and the items that satisfy one of these

    def __or__(self, other: Evaluated) -> Evaluated:
        return Evaluated(
            self.everything or other.everything,
            self.names | other.names,
            self.patterns | other.patterns,
            max(self.first, other.first),
            self.containing | other.containing,
        )


@dataclass(frozen=True, slots=True)
class _Branch:
    """What is evaluated if `condition` holds."""

    condition: Formula
    evaluated: Evaluated


class EvaluatedParts:
    """The branches of each subschema that evaluate parts of a value."""

    def __init__(self, documents: Documents, translator: Translator) -> None:
        self._documents = documents
        self._translator = translator
        self._branches: dict[Unevaluated, list[_Branch]] = {}

    def decide(self, node: Unevaluated) -> Formula:
        """Return the formula of `node` as one on a branch that is not decided, or a constraint if all are."""
        whole = replace(node, known=())
        if whole not in self._branches:
            self._branches[whole] = self._find_branches(whole)
        branches = self._branches[whole]
        subschema = self._documents.representatives[node.index]
        place = Place(subschema.place.side, (*subschema.place.path, node.keyword))
        formulas = self._translator.formulas
        if len(branches) > _MOST_BRANCHES:
            return formulas.add(Opaque(place, "too many branches decide what is evaluated"))
        evaluated, known = Evaluated(), node.known
        for branch, holds in zip(branches, known, strict=False):
            evaluated = evaluated | branch.evaluated if holds else evaluated
        if evaluated.everything:
            return TRUE
        for branch in branches[len(known) :]:
            if evaluated | branch.evaluated == evaluated:
                known = (*known, False)
            elif branch.condition == TRUE:
                known, evaluated = (*known, True), evaluated | branch.evaluated
            else:
                then, otherwise = (
                    formulas.add(replace(node, known=(*known, holds)), place) for holds in (True, False)
                )
                return formulas.if_(branch.condition, then, otherwise)
        return TRUE if evaluated.everything else self._constraint(node, subschema, evaluated, place)

    def _constraint(
        self, node: Unevaluated, subschema: Subschema, evaluated: Evaluated, place: Place
    ) -> Formula:
        formulas = self._translator.formulas
        part = self._translator.schema(subschema.keywords[node.keyword].value)
        if part == TRUE:
            return TRUE
        if node.keyword == "unevaluatedProperties":
            return formulas.add(Others(evaluated.names, tuple(sorted(evaluated.patterns)), part), place)
        return formulas.items_from(evaluated.first, formulas.any([part, *sorted(evaluated.containing)]))

    def _find_branches(self, node: Unevaluated) -> list[_Branch]:
        """Return the branches, merged by condition, the unconditional one first."""
        merged: dict[Formula, Evaluated] = {TRUE: Evaluated()}
        root = self._documents.representatives[node.index]
        stack: list[tuple[Subschema, tuple[Formula, ...]]] = [(root, ())]
        while stack:
            subschema, conditions = stack.pop()
            condition = self._translator.formulas.all(conditions)
            if condition == FALSE:
                continue
            found = self._evaluated(subschema, node.keyword, is_root=subschema is root)
            merged[condition] = merged.get(condition, Evaluated()) | found
            for index, condition in self._in_place(subschema, node.keyword):
                if index >= 0:
                    stack.append((self._documents.subschemas[index], (*conditions, condition)))
        return [
            _Branch(condition, evaluated)
            for condition, evaluated in merged.items()
            if evaluated != Evaluated()
        ]

    def _evaluated(self, subschema: Subschema, keyword: str, *, is_root: bool) -> Evaluated:
        keywords = subschema.keywords
        everything = keyword in keywords and not is_root
        if keyword == "unevaluatedProperties":
            names, patterns = (
                frozenset(keywords[key].value) if key in keywords else frozenset()
                for key in ("properties", "patternProperties")
            )
            return Evaluated(everything or "additionalProperties" in keywords, names, patterns)
        first = len(keywords["prefixItems"].value) if "prefixItems" in keywords else 0
        containing = (
            frozenset((self._translator.schema(keywords["contains"].value),))
            if "contains" in keywords
            else frozenset[Formula]()
        )
        return Evaluated(everything or "items" in keywords, first=first, containing=containing)

    def _in_place(self, subschema: Subschema, keyword: str) -> Iterator[tuple[int, Formula]]:
        """Yield the schemas that apply to the same value and evaluate parts of it, with their conditions."""
        keywords, schema = subschema.keywords, self._translator.schema
        for reference in ("$ref", "$dynamicRef"):
            if reference in keywords:
                yield keywords[reference].value, TRUE
        if "allOf" in keywords:
            yield from ((index, TRUE) for index in keywords["allOf"].value)
        for union in ("anyOf", "oneOf"):
            if union in keywords:
                yield from ((index, schema(index)) for index in keywords[union].value)
        if "if" in keywords:
            condition = schema(keywords["if"].value)
            yield keywords["if"].value, condition
            for branch, holds in (("then", condition), ("else", -condition)):
                if branch in keywords:
                    yield keywords[branch].value, holds
        if "dependentSchemas" in keywords and keyword == "unevaluatedProperties":
            for name, index in keywords["dependentSchemas"].value.items():
                yield index, self._translator.formulas.add(Has(name))
