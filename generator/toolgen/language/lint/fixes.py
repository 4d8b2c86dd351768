"""Safe fixes: changes of a spec that alter no accepted value, made so that comments stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from toolgen.language.lint.suppressions import KEY
from toolgen.language.yaml12.patch import patch_yaml
from toolgen.language.yaml12.reader import DocumentError, YamlReader
from toolgen.schema.document import JsonPath

_ACRONYMS: Final = re.compile(r"(?i)api|csv|dns|https?|id|ip|json|mcp|pdf|sql|url|uuid|xml|yaml")
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W_]+")

Edit = Callable[[dict[str, Any], JsonPath], None]


def fixed_text(text: str, findings: Iterable[tuple[str, JsonPath]]) -> str:
    """Return the text of a spec with the findings fixed that can be: rule and place of each.

    A text that is not a block mapping of YAML, such as JSON, stays as it is.
    """
    if text.lstrip().startswith(("{", "[")):
        return text
    try:
        data = YamlReader("", text).read()
    except DocumentError:
        return text
    for code, path in findings:
        if code in FIXES:
            FIXES[code](data, path)
    return patch_yaml(text, data)


def _add_title(data: dict[str, Any], path: JsonPath) -> None:
    if "title" in data or not isinstance(data.get("name"), str):
        return
    entries = list(data.items())
    data.clear()
    for key, value in entries:
        data[key] = value
        if key == "name":
            data["title"] = title_of(value)


def title_of(name: str) -> str:
    """Return a title for people: `get_userByID` becomes `Get user by ID`."""
    words = [each.upper() if _ACRONYMS.fullmatch(each) else each.lower() for each in _WORDS.findall(name)]
    title = " ".join(words) or name
    return title[:1].upper() + title[1:]


def _remove_definition(data: dict[str, Any], path: JsonPath) -> None:
    _remove(data, path, empties=1)


def _remove_suppression(data: dict[str, Any], path: JsonPath) -> None:
    if KEY in path:
        _remove(data, path, empties=2)  # with `ignore`, and `x-lint` itself


def _remove(data: dict[str, Any], path: JsonPath, *, empties: int) -> None:
    """Remove the entry at `path`, and up to `empties` mappings around it that it leaves empty."""
    parents: list[Any] = [data]
    for step in path[:-1]:
        try:
            parents.append(parents[-1][step])
        except (KeyError, IndexError, TypeError):
            return
    for depth in range(len(path) - 1, len(path) - 2 - empties, -1):
        holder = parents[depth]
        if not isinstance(holder, dict) or path[depth] not in holder:
            return
        del holder[path[depth]]
        if holder:
            return


FIXES: Final[Mapping[str, Edit]] = {
    "title-missing": _add_title,
    "unused-definition": _remove_definition,
    "unused-suppression": _remove_suppression,
}
"""Rule → how its findings are fixed."""
