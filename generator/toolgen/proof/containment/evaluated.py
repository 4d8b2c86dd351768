"""Apply `unevaluatedProperties` and `unevaluatedItems` to the parts that no other keyword evaluates.

Which branches of `anyOf`, `if` and the like evaluate a part depends on the value. Each such branch is
decided, one after another; then the keyword is one of `additionalProperties` or `items`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.documents import Documents, ReadSubschema
from toolgen.proof.containment.formulas import FALSE, TRUE, Formula, Formulas, Place

_MOST_BRANCHES: Final = 60


class EvaluatedParts:
    """Finds what the branches of a subschema evaluate."""

    def __init__(self, documents: Documents, formulas: Formulas, schema: Callable[[int], Formula]) -> None:
        self._documents = documents
        self._formulas = formulas
        self._schema = schema  # returns the formula of a subschema by its index

    def translate(self, subschema: ReadSubschema, keyword: str) -> Formula:
        """Return what `keyword` of `subschema` says."""
        place = Place(subschema.place.side, (*subschema.place.path, keyword))
        part = self._schema(subschema.keywords[keyword].value)
        if part == TRUE:
            return TRUE
        merged = self._find_branches(subschema, keyword)
        if isinstance(merged, str):
            return self._formulas.add(kinds.Opaque(place, merged))
        always = merged.pop(TRUE)
        branches = tuple(
            kinds.Branch(condition, evaluated)
            for condition, evaluated in sorted(merged.items(), key=lambda item: item[0])
            if evaluated != kinds.Evaluated()
        )
        if len(branches) > _MOST_BRANCHES:
            reason = "too many branches decide what is evaluated"
            return self._formulas.add(kinds.Opaque(place, reason))
        return self._next(kinds.Unevaluated(keyword, always, branches, part), place)

    def decide(self, node: kinds.Unevaluated) -> Formula:
        """Return the formula of `node` as one on its first branch."""
        unknown = [None] * (len(node.branches) - 1)
        then, otherwise = (self.reduce(node, [holds, *unknown]) for holds in (True, False))
        return self._formulas.if_(node.branches[0].condition, then, otherwise)

    def reduce(self, node: kinds.Unevaluated, verdicts: Sequence[bool | None]) -> Formula:
        """Return what `node` comes to if these branches hold, and these do not."""
        evaluated, left = node.evaluated, []
        for branch, holds in zip(node.branches, verdicts, strict=True):
            if holds is None:
                left.append(branch)
            elif holds:
                evaluated = evaluated | branch.evaluated
        place = self._formulas.place(self._formulas.add(node))
        return self._next(replace(node, evaluated=evaluated, branches=tuple(left)), place)

    def _next(self, node: kinds.Unevaluated, place: Place | None) -> Formula:
        """Return `node` without the branches that evaluate nothing more, as a constraint if none is left."""
        formulas, evaluated = self._formulas, node.evaluated
        if evaluated.everything:
            return TRUE
        left = tuple(one for one in node.branches if evaluated | one.evaluated != evaluated)
        if left:
            return formulas.add(replace(node, branches=left), place)
        if node.keyword == "unevaluatedProperties":
            return formulas.add(
                kinds.Others(evaluated.names, tuple(sorted(evaluated.patterns)), node.part), place
            )
        return formulas.items_from(evaluated.first, formulas.any([node.part, *sorted(evaluated.containing)]))

    def _find_branches(self, root: ReadSubschema, keyword: str) -> dict[Formula, kinds.Evaluated] | str:
        """Return what is evaluated by condition, `TRUE` among them, or why that is not known."""
        merged: dict[Formula, kinds.Evaluated] = {TRUE: kinds.Evaluated()}
        stack: list[tuple[ReadSubschema, tuple[Formula, ...]]] = [(root, ())]
        while stack:
            subschema, conditions = stack.pop()
            condition = self._formulas.all(conditions)
            if condition == FALSE:
                continue
            if subschema.problem is not None:
                return subschema.problem
            found = self._evaluated(subschema, keyword, is_root=subschema is root)
            merged[condition] = merged.get(condition, kinds.Evaluated()) | found
            for index, condition in self._in_place(subschema, keyword):
                if index >= 0:
                    stack.append((self._documents.subschemas[index], (*conditions, condition)))
        return merged

    def _evaluated(self, subschema: ReadSubschema, keyword: str, *, is_root: bool) -> kinds.Evaluated:
        keywords = subschema.keywords
        everything = keyword in keywords and not is_root
        if keyword == "unevaluatedProperties":
            names, patterns = (
                frozenset(keywords[key].value) if key in keywords else frozenset()
                for key in ("properties", "patternProperties")
            )
            return kinds.Evaluated(everything or "additionalProperties" in keywords, names, patterns)
        first = len(keywords["prefixItems"].value) if "prefixItems" in keywords else 0
        containing = (
            frozenset((self._schema(keywords["contains"].value),))
            if "contains" in keywords
            else frozenset[Formula]()
        )
        return kinds.Evaluated(everything or "items" in keywords, first=first, containing=containing)

    def _in_place(self, subschema: ReadSubschema, keyword: str) -> Iterator[tuple[int, Formula]]:
        """Yield the schemas that apply to the same value and evaluate parts of it, with their conditions."""
        # What a subschema evaluates counts if it accepts the value (2020-12 core, section 7.7.1).
        keywords, schema = subschema.keywords, self._schema
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
                yield index, self._formulas.add(kinds.Has(name))
