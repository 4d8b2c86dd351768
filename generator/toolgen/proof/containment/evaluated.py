"""Apply `unevaluatedProperties` and `unevaluatedItems` to the parts that no other keyword evaluates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.documents import Documents, ReadSubschema
from toolgen.proof.containment.formulas import TRUE, Formula, Formulas, Place
from toolgen.schema.keywords import IN_PLACE, REFERENCES


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
        found = self._find(subschema, keyword)
        if isinstance(found, str):
            return self._formulas.add(kinds.Opaque(place, found), place)
        least, most = (self._all_others(evaluated, keyword, part, place) for evaluated in found)
        if least == most:
            return least
        # It holds if it does for the parts that are evaluated in any case, and only if for all that may be.
        reason = "the value decides what `anyOf`, `if` and the like evaluate"
        return self._formulas.all(
            [most, self._formulas.any([least, self._formulas.add(kinds.Opaque(place, reason), place)])]
        )

    def _all_others(self, evaluated: Evaluated, keyword: str, part: Formula, place: Place) -> Formula:
        """Return the formula that all parts that are not evaluated satisfy `part`."""
        formulas = self._formulas
        if evaluated.everything:
            return TRUE
        if keyword == "unevaluatedProperties":
            return formulas.add(kinds.Others(evaluated.names, tuple(sorted(evaluated.patterns)), part), place)
        return formulas.items_from(evaluated.first, formulas.any([part, *sorted(evaluated.containing)]))

    def _find(self, root: ReadSubschema, keyword: str) -> tuple[Evaluated, Evaluated] | str:
        """Return what is evaluated in all values that `root` accepts, and in some; or why not."""
        always, sometimes = Evaluated(), Evaluated()
        stack, seen = [(root, True)], set[tuple[int, bool]]()
        while stack:
            subschema, is_certain = stack.pop()
            if subschema.problem is not None:
                return subschema.problem
            found = self._evaluated(subschema, keyword, is_root=subschema is root)
            sometimes |= found
            if is_certain:
                always |= found
            for index, is_always in _in_place(subschema):
                key = (index, is_certain and is_always)
                if index >= 0 and key not in seen:
                    seen.add(key)
                    stack.append((self._documents.subschemas[index], key[1]))
        return always, sometimes

    def _evaluated(self, subschema: ReadSubschema, keyword: str, *, is_root: bool) -> Evaluated:
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
            frozenset((self._schema(keywords["contains"].value),))
            if "contains" in keywords
            else frozenset[Formula]()
        )
        return Evaluated(everything or "items" in keywords, first=first, containing=containing)


_IN_PLACE: Final = IN_PLACE.union(REFERENCES) - {"not", "dependencies"}


def _in_place(subschema: ReadSubschema) -> Iterator[tuple[int, bool]]:
    """Yield the schemas that apply to the same value, and whether they accept it whenever `subschema` does.

    What a subschema evaluates counts if it accepts the value (2020-12 core, section 7.7.1).
    """
    for keyword, indices in subschema.children():
        if keyword in _IN_PLACE:
            yield from ((index, keyword in (*REFERENCES, "allOf")) for index in indices)
