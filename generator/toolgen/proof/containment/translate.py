"""Translate subschemas into formulas, one class of equal ones at a time, when they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.documents import ACCEPTS_ALL, CONTENT, Documents, HeldSchemas, ReadSubschema
from toolgen.proof.containment.formats import is_asserted
from toolgen.proof.containment.formulas import FALSE, TRUE, Formula, Formulas, Node, Place


class Translator:
    """Translates the subschemas of two documents."""

    def __init__(self, documents: Documents, formulas: Formulas) -> None:
        self.documents = documents
        self.formulas = formulas
        self._translated: dict[int, Formula] = {}

    def schema(self, index: int) -> Formula:
        """Return the formula of a subschema by its index: a boolean, or a reference to its class."""
        if index < 0:
            return TRUE if index == ACCEPTS_ALL else FALSE
        return self.formulas.add(
            kinds.AcceptedBy(self.documents.classes[index]), self.documents.subschemas[index].place
        )

    def translate(self, node: kinds.AcceptedBy) -> Formula:
        """Return what the subschemas of a class say."""
        if node.index not in self._translated:
            subschema = self.documents.representatives[node.index]
            self._translated[node.index] = _Subschema(self, subschema).translate()
        return self._translated[node.index]


class _Subschema:
    """Translates the keywords of one subschema."""

    def __init__(self, translator: Translator, subschema: ReadSubschema) -> None:
        self._translator = translator
        self._formulas = translator.formulas
        self._subschema = subschema
        self._keywords = subschema.keywords

    def translate(self) -> Formula:
        """Return the formula that all keywords hold."""
        if self._subschema.problem is not None:
            place = self._subschema.place
            return self._formulas.add(kinds.Opaque(place, self._subschema.problem), place)
        return self._formulas.all(
            [
                *self._types(),
                *(self._in_place(keyword) for keyword in self._keywords if keyword in _IN_PLACE),
                *(
                    self._formulas.of_type(type_, self._formulas.all(translate(self)))
                    for type_, translate in _BY_TYPE.items()
                ),
            ]
        )

    # Helpers

    def _place(self, keyword: str) -> Place:
        place = self._subschema.place
        return Place(place.side, (*place.path, keyword))

    def _add(self, keyword: str, node: Node) -> Formula:
        return self._formulas.add(node, self._place(keyword))

    def _held(self, keyword: str) -> Any:
        return self._keywords[keyword].value

    def _schema(self, keyword: str) -> Formula:
        return self._translator.schema(self._held(keyword))

    def _schemas(self, keyword: str) -> list[Formula]:
        return [self._translator.schema(index) for index in self._held(keyword)]

    # Keywords for values of every type

    def _types(self) -> list[Formula]:
        add, parts = self._formulas.add, []
        if "type" in self._keywords:
            names = self._keywords["type"]
            types = [
                self._formulas.all([add(kinds.HasType("number")), add(kinds.Whole(), self._place("type"))])
                if name == "integer"
                else add(kinds.HasType(name))
                for name in ([names] if isinstance(names, str) else names)
            ]
            parts.append(self._formulas.any(types))
        if "enum" in self._keywords:
            parts.append(self._formulas.one_of(self._keywords["enum"]))
        if "const" in self._keywords:
            parts.append(self._formulas.one_of([self._keywords["const"]]))
        return parts

    def _in_place(self, keyword: str) -> Formula:
        if keyword in ("$ref", "$dynamicRef"):
            return self._schema(keyword)
        if keyword == "allOf":
            return self._formulas.all(self._schemas(keyword))
        if keyword == "anyOf":
            return self._formulas.any(self._schemas(keyword))
        if keyword == "oneOf":
            return self._exactly_one(self._schemas(keyword))
        if keyword == "not":
            return -self._schema(keyword)
        then, otherwise = (
            self._schema(branch) if branch in self._keywords else TRUE for branch in ("then", "else")
        )
        return self._formulas.if_(self._schema("if"), then, otherwise)

    def _exactly_one(self, parts: list[Formula]) -> Formula:
        parts = sorted(part for part in parts if part != FALSE)
        twice = {part for part in parts if parts.count(part) > 1}  # they cannot be the only one
        once = tuple(part for part in parts if part not in twice)
        only = self._formulas.any(once) if len(once) < 2 else self._add("oneOf", kinds.ExactlyOne(once))
        return self._formulas.all([only, *(-part for part in sorted(twice))])

    # Keywords for values of one type

    def _number(self) -> list[Formula]:
        parts = []
        for keyword, sign, inclusive in (
            ("minimum", 1, True),
            ("exclusiveMinimum", 1, False),
            ("maximum", -1, False),
            ("exclusiveMaximum", -1, True),
        ):
            if (limit := self._keywords.get(keyword)) is not None:
                parts.append(sign * self._add(keyword, kinds.AtLeast(limit, inclusive)))
        if (divisor := self._keywords.get("multipleOf")) is not None:
            parts.append(self._add("multipleOf", kinds.MultipleOf(divisor)))
        return parts

    def _counts(self, least: str, most: str, kind: Callable[[int], Node]) -> list[Formula]:
        parts = []
        if int(self._keywords.get(least, 0)) > 0:
            parts.append(self._add(least, kind(int(self._keywords[least]))))
        if most in self._keywords:
            parts.append(-self._add(most, kind(int(self._keywords[most]) + 1)))
        return parts

    def _string(self) -> list[Formula]:
        parts = self._counts("minLength", "maxLength", kinds.LengthAtLeast)
        if "pattern" in self._keywords:
            parts.append(self._add("pattern", kinds.Pattern(self._keywords["pattern"])))
        format_ = self._keywords.get("format", "")
        if is_asserted(format_, self._subschema.draft):
            parts.append(self._add("format", kinds.HasFormat(format_)))
        # Draft-07 alone asserts these, and nothing of media types other than JSON.
        content = {key: self._keywords[key] for key in CONTENT if key in self._keywords}
        if content and content.get("contentMediaType", _JSON) == _JSON:
            says = kinds.Opaque(tuple(sorted(content.items())), "content of texts is not analysed")
            parts.append(self._add(next(iter(content)), says))
        return parts

    def _array(self) -> list[Formula]:
        formulas, parts = self._formulas, self._counts("minItems", "maxItems", kinds.ItemsAtLeast)
        first = len(self._held("prefixItems")) if "prefixItems" in self._keywords else 0
        if first:
            parts += [formulas.item(index, part) for index, part in enumerate(self._schemas("prefixItems"))]
        if "items" in self._keywords:
            parts.append(formulas.items_from(first, self._schema("items")))
        if self._keywords.get("uniqueItems") is True:
            parts.append(self._add("uniqueItems", kinds.Distinct()))
        if "contains" in self._keywords:
            part = self._schema("contains")
            parts.append(formulas.contains(part, int(self._keywords.get("minContains", 1))))
            if "maxContains" in self._keywords:
                count = int(self._keywords["maxContains"]) + 1
                parts.append(-formulas.contains(part, count))
        if "unevaluatedItems" in self._keywords and "items" not in self._keywords:
            parts.append(self._unevaluated("unevaluatedItems"))
        return parts

    def _object(self) -> list[Formula]:
        formulas, parts = (
            self._formulas,
            self._counts("minProperties", "maxProperties", kinds.PropertiesAtLeast),
        )
        parts += [self._add("required", kinds.Has(name)) for name in self._keywords.get("required", ())]
        properties = self._held("properties") if "properties" in self._keywords else {}
        patterns = self._held("patternProperties") if "patternProperties" in self._keywords else {}
        parts += [formulas.property(name, self._translator.schema(part)) for name, part in properties.items()]
        for pattern, index in patterns.items():
            if (part := self._translator.schema(index)) != TRUE:
                parts.append(self._add("patternProperties", kinds.Matching(pattern, part)))
        if "additionalProperties" in self._keywords:
            if (part := self._schema("additionalProperties")) != TRUE:
                others = kinds.Others(frozenset(properties), tuple(sorted(patterns)), part)
                parts.append(self._add("additionalProperties", others))
        elif "unevaluatedProperties" in self._keywords:
            parts.append(self._unevaluated("unevaluatedProperties"))
        if "propertyNames" in self._keywords and (part := self._schema("propertyNames")) != TRUE:
            parts.append(self._add("propertyNames", kinds.Names(part)))
        return [*parts, *self._dependencies()]

    def _unevaluated(self, keyword: str) -> Formula:
        if self._schema(keyword) == TRUE:
            return TRUE
        return self._add(keyword, kinds.Opaque(self._place(keyword), f"`{keyword}` is not analysed"))

    def _dependencies(self) -> list[Formula]:
        parts = []
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            needed = self._keywords.get(keyword, {})
            for name, inner in (needed.value if isinstance(needed, HeldSchemas) else needed).items():
                consequence = (
                    self._formulas.all(self._formulas.add(kinds.Has(other)) for other in inner)
                    if isinstance(inner, list)
                    else self._translator.schema(inner)
                )
                present = self._add(keyword, kinds.Has(name))
                parts.append(self._formulas.any([-present, consequence]))
        return parts


_JSON: Final = "application/json"
_IN_PLACE: Final = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if")
_BY_TYPE: Final[dict[str, Callable[[_Subschema], list[Formula]]]] = {
    "number": _Subschema._number,
    "string": _Subschema._string,
    "array": _Subschema._array,
    "object": _Subschema._object,
}
