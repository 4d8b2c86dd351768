"""The JSON Schema that Gemini documents for function declarations, made from the author's.

References are inlined, since parts of Gemini's world drop `$defs` (google-gemini/gemini-cli#13326) and the
API takes nothing beside a `$ref` (anomalyco/opencode#12295); only what contains itself stays a reference.
What Gemini has no keyword for is said in the description, and enforced by the runtime as ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.dialects.all_of import joined
from toolgen.schema.dialects.gemini_keywords import Words, said, simplified
from toolgen.schema.document import Draft, Path, draft_of, resolve_reference, subschemas
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.loss import Loss
from toolgen.schema.providers import GEMINI_KEYWORDS

JsonObject = dict[str, Any]

MOST_PLACES: Final = 5_000
"""Subschemas that inlining may come to; beyond, every reference stays one."""

DEEPEST: Final = 100
"""Subschemas inside one another; what inlining would make deeper keeps its references."""

_ONE: Final = ("items", "additionalProperties")
_LISTS: Final = ("prefixItems", "anyOf", "oneOf")
_CYCLE: Final = (
    "What contains itself is followed only through properties that are not required, so {name!r} is not; "
    "toolgen still asks for it."
)


def to_gemini(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Loss, ...]]:
    """What Gemini is shown of `schema`, and what gets lost; `schema` itself where nothing has to change."""
    if all(_plain(node) for _, node in subschemas(schema)):
        return schema, ()
    for inline in (True, False):
        printer = _Printer(schema, inline)
        try:
            made = printer.root()
        except _TooLargeError:
            continue
        return made, tuple(printer.losses)
    raise AssertionError("without inlining, each place is printed once")


def _plain(node: Mapping[str, Any]) -> bool:
    """Whether Gemini takes a subschema as it is."""
    return node.keys() <= GEMINI_KEYWORDS - {"$ref", "$defs", "format", "oneOf"} and not (
        "enum" in node and not all(type(value) in (str, int, float) for value in node["enum"])
    )


class _TooLargeError(Exception):
    """Inlining would make more of the schema than it is worth."""


class _Printer:
    """One conversion: the definitions made so far, and the losses."""

    def __init__(self, schema: Mapping[str, Any], inline: bool) -> None:
        self.losses: dict[Loss, None] = {}
        self._schema, self._inline = schema, inline
        self._draft7 = draft_of(schema) is Draft.DRAFT_7
        self._names: dict[Path, str] = {}  # place → its name in `$defs`
        self._taken: set[str] = set()
        self._depth = 0
        self._open: list[Path] = []  # the references that are being followed
        self._places = 0

    def root(self) -> JsonObject:
        """The whole schema, with definitions of what contains itself."""
        printed = self._print(self._schema, (), follow=())
        definitions: JsonObject = {}
        while waiting := [place for place, name in self._names.items() if name not in definitions]:
            place = waiting[0]
            definitions[self._names[place]] = {}
            node = self._at(place)
            definitions[self._names[place]] = self._print(node, place, follow=place)
        return {**printed, "$defs": dict(sorted(definitions.items()))} if definitions else printed

    def _at(self, place: Path) -> Any:
        found: Any = self._schema
        for step in place:
            found = found[step]
        return found

    def _print(self, node: Any, path: Path, follow: Path | None = None) -> JsonObject:
        """A subschema in Gemini's words; `follow` is the place that it is the target of a reference at."""
        self._places += 1
        if self._inline and (self._places > MOST_PLACES or self._depth > DEEPEST):
            raise _TooLargeError
        if not isinstance(node, Mapping):
            if node is False:
                self._lose(
                    path[:-1],
                    str(path[-1]),
                    "That no value is accepted cannot be said; toolgen still enforces it.",
                )
            return {}
        self._depth += 1
        if follow is not None:
            self._open.append(follow)
        printed = self._body(node, path)
        if follow is not None:
            self._open.pop()
        self._depth -= 1
        return printed

    def _body(self, node: Mapping[str, Any], path: Path) -> JsonObject:
        reference = node.get("$ref")
        if reference is not None and self._draft7:
            node = {"$ref": reference}
        words = Words()
        plain = simplified({key: value for key, value in node.items() if key != "$ref"}, words)
        for keyword in words.dropped:
            if keyword in CONSTRAINING:
                self._lose(path, keyword, f"There is no `{keyword}`; toolgen still enforces it.")
        printed = self._children(plain, node, path)
        parts = [printed]
        if reference is not None:
            parts = [printed, self._reference(reference, path)]
        for index, branch in enumerate(node.get("allOf", ())):
            parts.append(self._print(branch, (*path, "allOf", index)))
        parts = [part for part in parts if part]
        whole, clash = joined(parts)
        for keyword in clash:
            self._lose(path, keyword, f"Only one `{keyword}` can be said; toolgen enforces them all.")
        return said(whole, words)

    def _children(self, plain: JsonObject, node: Mapping[str, Any], path: Path) -> JsonObject:
        """`plain` with its subschemas printed, too."""
        printed = {key: value for key, value in plain.items() if key not in ("$defs", "definitions")}
        for keyword in _ONE:
            if isinstance(printed.get(keyword), Mapping):
                origin = (
                    "additionalItems"
                    if keyword == "items" and isinstance(node.get("items"), list)
                    else keyword
                )
                printed[keyword] = self._print(printed[keyword], (*path, origin))
        for keyword in _LISTS:
            if keyword in printed:
                origin = "items" if keyword == "prefixItems" and keyword not in node else keyword
                printed[keyword] = [
                    self._print(each, (*path, origin, index)) for index, each in enumerate(printed[keyword])
                ]
        if "oneOf" in printed:
            self._lose(path, "oneOf", "`oneOf` is taken for `anyOf`; toolgen still enforces it.")
        if isinstance(printed.get("properties"), Mapping):
            self._properties(printed, path)
        return printed

    def _properties(self, printed: JsonObject, path: Path) -> None:
        properties: JsonObject = {}
        required = list(printed.get("required", ()))
        for name, child in printed["properties"].items():
            here = (*path, "properties", name)
            if child is False:
                self._lose(here[:-1], name, f"No value of {name!r} is accepted, so it is left out.")
                continue
            properties[name] = self._print(child, here)
            if name in required and self._open and _refers(properties[name]):
                self._lose(path, "required", _CYCLE.format(name=name), always=True)
                required.remove(name)
        printed["properties"] = properties
        if required:
            printed["required"] = required
        else:
            printed.pop("required", None)

    def _reference(self, reference: Any, path: Path) -> JsonObject:
        found = resolve_reference(self._schema, reference)
        if found is None:
            self._lose(
                path, "$ref", f"What {reference!r} leads to cannot be said; toolgen still enforces it."
            )
            return {}
        target, place = found
        if place in self._open or not self._inline:
            return {"$ref": f"#/$defs/{self._name_of(place)}"}
        return self._print(target, place, follow=place)

    def _name_of(self, place: Path) -> str:
        if place not in self._names:
            stem = re.sub(r"[^A-Za-z0-9_]", "_", str(place[-1]) if place else "root") or "schema"
            name, count = stem, 1
            while name in self._taken:
                count += 1
                name = f"{stem}_{count}"
            self._names[place] = name
            self._taken.add(name)
        return self._names[place]

    def _lose(self, path: Path, keyword: str, reason: str, *, always: bool = False) -> None:
        self.losses[Loss(path, keyword, reason, always=always)] = None


def _refers(printed: JsonObject) -> bool:
    """Whether a value of `printed` meets a reference before any property that may be absent."""
    if "$ref" in printed:
        return True
    below = [printed[keyword] for keyword in _ONE if isinstance(printed.get(keyword), dict)]
    below += [each for keyword in _LISTS for each in printed.get(keyword, ())]
    below += [printed.get("properties", {}).get(name, {}) for name in printed.get("required", ())]
    return any(_refers(each) for each in below)
