"""Functions as OpenAI is offered them, as specs: Chat Completions, Responses, bare, in lists or one a line.

Types that people write who do not know JSON Schema are mended, each told: the mended schema is the contract.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen.data.spec import TARGET_NAME
from toolgen.importers.naming import Names, choose_names
from toolgen.importers.schemas import usable
from toolgen.importers.source import Document
from toolgen.importers.tool import Imported, SourceError, in_order
from toolgen.importers.types import mend_habits, mend_types
from toolgen.schema.budget import BUDGET
from toolgen.suggestions import quoted

CARRIED = "x-openai"
OWNED = ("description", "input_schema", CARRIED)
"""The fields that the source decides; those under `targets.openai`, too."""

_LISTS = ("tools", "functions")
_WRAPPED = (
    "function",
    "function_raw",
)  # Chat's key; and that of collections of functions
_FIELDS = frozenset(("type", "name", "description", "parameters", "strict"))
_OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_WANTED = "give functions as Chat Completions or Responses have them, a list of them, or one a line"


def import_openai(documents: Sequence[Document], name: str, decided: Names) -> list[Imported]:
    """The functions in a source that messages call `name`. Raises `SourceError`."""
    found: dict[str, tuple[dict[str, Any], str, int]] = {}  # as JSON → function, where from, how often
    for function, origin in _functions(documents, name):
        key = json.dumps(function)
        if len(found) == BUDGET.tools and key not in found:
            message = f"{name}: more than {BUDGET.tools:,} functions"
            raise SourceError(message, "import a part of them", "too-complex")
        again = found[key][2] if key in found else 0
        found[key] = (function, origin, again + 1)
    if not found:
        raise SourceError(f"{name} has no functions", _WANTED)
    functions = list(found.values())
    names = choose_names([function["name"] for function, _, _ in functions], decided)
    published: set[str] = set()
    imported: list[Imported] = []
    for (function, origin, times), wire_name in zip(functions, names, strict=True):
        notes = [f"stands {times} times, word for word: imported once"] if times > 1 else []
        imported.append(_spec(function, wire_name, published, origin, notes))
    return imported


def _functions(documents: Sequence[Document], name: str) -> Iterator[tuple[dict[str, Any], str]]:
    for document in documents:
        where = f"{name}:{document.line}" if document.line else name
        for function, origin in _listed(document.value, where):
            _check(function, where)
            yield function, origin


def _listed(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    """The functions in one document, however they are wrapped."""
    if isinstance(value, list):
        for item in value:
            yield from _listed(item, where)
        return
    if not isinstance(value, dict):
        raise SourceError(f"{where}: a value that is no function: {quoted(json.dumps(value))}", _WANTED)
    for key in _LISTS:
        if isinstance(value.get(key), list) and "name" not in value:
            yield from _listed(value[key], where)
            return
    for key in _WRAPPED:
        if isinstance(value.get(key), dict):
            inner = dict(value[key])
            if "strict" in value and "strict" not in inner:
                inner["strict"] = value["strict"]
            yield inner, value["source"] if isinstance(value.get("source"), str) else ""
            return
    kind = value.get("type", "function")
    if kind != "function" and "parameters" not in value:
        raise SourceError(
            f"{where}: a tool of type {quoted(str(kind))} is OpenAI's own, and no function", _WANTED
        )
    yield value, ""


def _check(function: Any, where: str) -> None:
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise SourceError(f"{where}: a function without a name: {quoted(json.dumps(function), 80)}", _WANTED)
    if len(name) > 256 or not name.isprintable():
        raise SourceError(
            f"{where}: {quoted(name)} cannot be the name of a function", "printable, at most 256 long"
        )
    if not isinstance(function.get("parameters", {}), dict | None):
        raise SourceError(f"{where}: `parameters` of {quoted(name)} must be an object", _WANTED)
    if not isinstance(function.get("description", ""), str | None):
        raise SourceError(f"{where}: the description of {quoted(name)} is no text")
    if not isinstance(function.get("strict", False), bool | None):
        raise SourceError(f"{where}: `strict` of {quoted(name)} must be true or false")


def _spec(
    function: dict[str, Any], wire_name: str, published: set[str], origin: str, notes: list[str]
) -> Imported:
    fields: dict[str, Any] = {"toolgen": 1, "name": wire_name}
    options: dict[str, Any] = {}
    name = function["name"]
    if wire_name != name and name in published:
        notes.append(f"published so, since {quoted(name, 256)} is another function already")
    elif wire_name != name:
        fields["aliases"] = [name]
        kept = _OPENAI_NAME.fullmatch(name) and re.match(TARGET_NAME, name)
        if kept:
            options["name"] = name
        shown = name if kept else wire_name
        notes.append(f"stands for {quoted(name, 256)}, published as {quoted(shown, 256)}")
    published.add(name)
    fields["description"] = function.get("description") or name
    if not function.get("description"):
        notes.append("has no description: write one, models choose by it")
    parameters, mended = mend_types(_parameters(function), "input_schema")
    parameters, moved = mend_habits(parameters, "input_schema")
    fields["input_schema"], told = usable(parameters, "input_schema")
    notes += [*mended, *moved, *told]
    if function.get("strict") is not None:
        options["strict"] = function["strict"]
    if options:
        fields["targets"] = {"openai": options}
    carried = {key: value for key, value in function.items() if key not in _FIELDS}
    if carried:
        fields[CARRIED] = carried
    return Imported(in_order(fields), tuple(f"{wire_name}: {note}" for note in notes), origin)


def _parameters(function: dict[str, Any]) -> dict[str, Any]:
    """Parameters that are left out are none: https://platform.openai.com/docs/api-reference/chat/create."""
    found = function.get("parameters")
    return found or {"type": "object", "properties": {}}
