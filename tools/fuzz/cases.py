"""A spec with a hostile text in as many places as possible."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from tools.fuzz.places import EXTENSION, SHARED, ConflictError, Place, Step, filled, merged


@dataclass(frozen=True, slots=True)
class Case:
    """One text, in several places of one spec."""

    text: str
    places: tuple[Place, ...]
    file: str = ""  # path of the spec below the specs folder, without its ending; empty: its number
    company: int = 1_000  # how many cases it can be generated with

    def halves(self) -> list[Case]:
        """Return two cases with half of the places each."""
        middle = len(self.places) // 2
        return [replace(self, places=half) for half in (self.places[:middle], self.places[middle:])]

    def as_data(self) -> dict[str, Any]:
        """Return the case as JSON data."""
        return {"text": self.text, "places": [place.label for place in self.places], "file": self.file}


@dataclass(frozen=True, slots=True)
class Written:
    """The files of a case: the spec, and the shared schemas that it uses."""

    name: str
    spec: Mapping[str, Any]
    shared: Mapping[str, Any] | None

    def files(self, path: str) -> dict[str, str]:
        """Path below the specs folder → text."""
        made = {f"{path}.yaml": _yaml(self.spec)}
        if self.shared is not None:
            made[f"shared_{self.name}.yaml"] = _yaml(self.shared)
        return made


_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Characters that YAML must escape, or that YAML readers fold."""


def _yaml(value: Any) -> str:
    """Return `value` as JSON, which is YAML and represents every text; unescaped characters if allowed."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _ESCAPED.search(text) else text


def pack(text: str, places: Iterable[Place]) -> list[Case]:
    """Return as few cases as possible that have the text in all of the places."""
    packs: list[list[Place]] = []
    for place in places:
        for chosen in packs:
            try:
                _fields(text, [*(each for each in chosen if each.field == place.field), place])
            except ConflictError:
                continue
            chosen.append(place)
            break
        else:
            packs.append([place])
    return [Case(text, tuple(chosen)) for chosen in packs]


def written(case: Case, number: int) -> Written:
    """Return the files of a case; `number` makes its names unique."""
    name = f"t{number}"
    fields = _fields(case.text, case.places)
    shared = {key.removeprefix(SHARED): value for key, value in fields.items() if key.startswith(SHARED)}
    own = {key: value for key, value in fields.items() if not key.startswith(SHARED)}
    spec = {"name": name, "description": "A tool.", "input_schema": {"type": "object"}, **own}
    if shared:
        shared.setdefault("$defs", {"plain": {"type": "string"}})
        definition = next(iter(shared["$defs"])).replace("~", "~0").replace("/", "~1")
        pointer = quote(definition, safe="~") if _is_unicode(definition) else "plain"
        properties = spec["input_schema"].get("properties", {})
        reference = {"$ref": f"shared_{name}.yaml#/$defs/{pointer}"}
        spec["input_schema"] = {**spec["input_schema"], "properties": {**properties, "shared": reference}}
    return Written(str(spec["name"]), spec, shared or None)


def _fields(text: str, places: Iterable[Place]) -> dict[str, Any]:
    """Return top-level fields with the text in their places. Raises `ConflictError`."""
    around: dict[str, Any] = {}
    paths: dict[str, list[tuple[Step, ...]]] = {}
    for place in places:
        around[place.field] = merged(around.get(place.field, place.around), place.around)
        for path in paths.setdefault(place.field, []):
            if path == place.below[: len(path)] or place.below == path[: len(place.below)]:
                raise ConflictError(str(path))
        paths[place.field].append(place.below)
    made = {field: filled(value, paths[field], text) for field, value in around.items()}
    if EXTENSION in made:
        made[f"x-{text}"] = made.pop(EXTENSION)
    return made


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def texts_of(cases: Sequence[Case]) -> int:
    """Return the number of pairs of text and place in the cases."""
    return sum(len(case.places) + bool(case.file) for case in cases)
