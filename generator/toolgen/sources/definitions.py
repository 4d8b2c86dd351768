"""Definitions of tools in a source: however they are wrapped, each once, with the name of its spec."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.schema.budget import BUDGET
from toolgen.schema.document import JsonPath, format_pointer
from toolgen.sources.imported_tool import ImportedTool, LeftOut, SourceError
from toolgen.sources.json_source import JsonDocument, check_list, errors_at
from toolgen.sources.spec_names import ExistingNames, choose_names

OF_A_SERVER: Final = JsonDocument(None, 0)
"""The document of what a server lists: it is not in a file."""
MAX_NAMESAKES: Final = 100
"""Maximum number of different tools of one name: each needs another name for its spec."""
_MAX_SIZE: Final = BUDGET.spec_bytes // 2  # a spec may hold what its source says, and what it means
_LISTS: Final = ("tools", "functions", "function_declarations", "functionDeclarations")


@dataclass(slots=True)
class SourceDefinition:
    """A tool as its source defines it."""

    data: dict[str, Any]
    document: JsonDocument
    path: JsonPath  # in the document
    origin: str = ""  # where the source says that it has the tool from
    namespace: str | None = None
    count: int = 1  # how often the source has it
    spec_name: str = ""
    is_first: bool = True  # False: an earlier tool has the same name

    @property
    def name(self) -> str:
        """Return the name in the source."""
        return str(self.data["name"])


def unwrapped(value: Any, where: str, at: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Yield what is listed in a document, with its path: in a list, a JSON-RPC response, below `tools`.

    Raises `SourceError` for an error of a server, and one page of several.
    """
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from unwrapped(item, where, (*at, index))
        return
    lists: list[str] = []
    if isinstance(value, dict) and "name" not in value:
        check_list(value, where)
        lists = [key for key in _LISTS if isinstance(value.get(key), list)]
        if isinstance(value.get("result"), dict):
            lists = ["result"]
    for key in lists:
        yield from unwrapped(value[key], where, (*at, key))
    if not lists:
        yield at, value


def import_definitions(
    found: Iterable[SourceDefinition],
    to_spec: Callable[[SourceDefinition], ImportedTool],
    source: str,
    noun: str,
    existing: ExistingNames,
    expected: str,
    left_out: LeftOut,
) -> list[ImportedTool]:
    """Return the definitions as tools, equal ones once, but for those that are left out.

    Messages call the source `source`, and a tool in it `noun`. Raises `SourceError` for none or too many.
    """
    distinct: dict[str, SourceDefinition] = {}
    namesakes: Counter[str] = Counter()
    for each in found:
        # the order of keys counts, and 1 is not 1.0
        known = distinct.setdefault(json.dumps([each.data, each.namespace]), each)
        if known is not each:
            known.count += 1
            continue
        namesakes[each.name] += 1
        if len(distinct) > BUDGET.tools:
            raise _too_many(f"{source}: more than {BUDGET.tools:,} {noun}s")
        if namesakes[each.name] > MAX_NAMESAKES:
            raise _too_many(f"{source}: more than {MAX_NAMESAKES} {noun}s of the name {quoted(each.name)}")
    if not distinct and not left_out.reasons:
        raise SourceError(f"{source} has no {noun}s", expected)
    definitions = list(distinct.values())
    names = choose_names([each.name for each in definitions], existing)
    # the file of an existing tool is only in the way of one that gets its name
    published = {*existing.taken, *existing.in_place.difference(names)}
    for each, each.spec_name in zip(definitions, names, strict=True):
        each.is_first = each.name not in published
        published.add(each.name)
    tools: list[ImportedTool] = []
    for text, each in distinct.items():
        with left_out.reading(each.name), errors_at(each.document.place, source, each.path):
            if len(text) > _MAX_SIZE:
                raise SourceError(f"{len(text):,} bytes; at most {_MAX_SIZE:,} are read", code="too-complex")
            tools.append(to_spec(each))
    return tools


def key_of(definition: Any, document: JsonDocument, path: JsonPath) -> str:
    """Return what identifies a definition that may not be one: its name, or its place."""
    name = definition.get("name") if isinstance(definition, dict) else None
    if isinstance(name, str) and name.isprintable() and name:
        return name
    place = (f"line {document.line}" if document.line else "", f"#{format_pointer(path)}" if path else "")
    return " ".join(filter(None, place)) or "#"


def _too_many(message: str) -> SourceError:
    return SourceError(message, "import a part of them", "too-complex")
