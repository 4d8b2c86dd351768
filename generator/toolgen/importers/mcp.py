"""Tools of an MCP server as specs: `toolgen export mcp` gives every one back as it was.

Where the language has a field, that field says it. What only MCP knows, and what the language would not take,
stands under `x-mcp` in the protocol's words: the MCP adapter publishes that instead, and nothing for null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from toolgen.data.spec import Annotations, Icon
from toolgen.importers.naming import Names, choose_names
from toolgen.importers.schemas import usable
from toolgen.importers.source import Document
from toolgen.importers.tool import Imported, SourceError, in_order
from toolgen.schema.budget import BUDGET
from toolgen.suggestions import quoted

CARRIED = "x-mcp"
_MOST_ALIKE = 100  # tools of one name
OWNED = (
    "title", "icons", "description", "annotations", "input_schema", "output_schema", "meta", CARRIED,
)  # fmt: skip
"""The fields that the source decides; those under `targets.mcp`, too."""

_FIELDS = frozenset(
    ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta")
)
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_ICONS = TypeAdapter(list[Icon])
_WANTED = "give a tools/list result, a list of tools, or one tool a line"


def import_mcp(documents: Sequence[Document], name: str, decided: Names) -> list[Imported]:
    """The tools in a source that messages call `name`. Raises `SourceError`."""
    found: list[tuple[dict[str, Any], str]] = []
    twice: list[str] = []
    known: dict[str, list[dict[str, Any]]] = {}
    for tool, origin in _tools(documents, name):
        others = known.setdefault(tool["name"], [])
        if any(_same(tool, other) for other in others):
            twice.append(tool["name"])
            continue
        if len(found) == BUDGET.tools or len(others) == _MOST_ALIKE:
            most = BUDGET.tools if len(found) == BUDGET.tools else _MOST_ALIKE
            more = "" if len(found) == BUDGET.tools else f" of the name {quoted(tool['name'])}"
            message = f"{name}: more than {most:,} tools{more}"
            raise SourceError(message, "import a part of them", "too-complex")
        others.append(tool)
        found.append((tool, origin))
    if not found:
        raise SourceError(f"{name} has no tools", _WANTED)
    names = choose_names([tool["name"] for tool, _ in found], decided)
    published: set[str] = set()
    imported: list[Imported] = []
    for (tool, origin), wire_name in zip(found, names, strict=True):
        notes = [f"{quoted(tool['name'])} stands twice, word for word: imported once"] * twice.count(
            tool["name"]
        )
        unique = tool["name"] not in published
        imported.append(_spec(tool, wire_name, unique, origin, notes if unique else []))
        published.add(tool["name"])
    return imported


def _tools(documents: Sequence[Document], name: str) -> Iterator[tuple[dict[str, Any], str]]:
    for document in documents:
        where = f"{name}:{document.line}" if document.line else name
        for tool in _listed(document.value, where):
            _check(tool, where)
            # one tool a line: collections of tools say beside each which server it is from
            origin = tool.get("source") if document.line and document.value is tool else None
            if isinstance(origin, str):
                tool = {key: value for key, value in tool.items() if key != "source"}
            yield tool, origin if isinstance(origin, str) else ""


def _listed(value: Any, where: str) -> list[Any]:
    """The tools in one document: a response, a result, a list of either, or one tool."""
    if isinstance(value, list):
        return [tool for item in value for tool in _listed(item, where)]
    if not isinstance(value, dict):
        raise SourceError(f"{where}: {_kind(value)} is no tool", _WANTED)
    if isinstance(value.get("result"), dict):
        return _listed(value["result"], where)
    if "error" in value and "name" not in value:
        raise SourceError(f"{where}: the server answered with an error: {json.dumps(value['error'])[:200]}")
    if "tools" in value and "name" not in value:
        if not isinstance(value["tools"], list):
            raise SourceError(f"{where}: `tools` is {_kind(value['tools'])}, and must be a list", _WANTED)
        if value.get("nextCursor"):
            raise SourceError(
                f"{where}: the list goes on (`nextCursor`), and this is only a part of it",
                "give all pages in one file, each without its `nextCursor`",
            )
        return value["tools"]
    return [value]


def _check(tool: Any, where: str) -> None:
    if not isinstance(tool, dict):
        raise SourceError(f"{where}: {_kind(tool)} is no tool", _WANTED)
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        raise SourceError(f"{where}: a tool without a name: {quoted(json.dumps(tool), 80)}", _WANTED)
    if len(name) > 256 or not name.isprintable():
        raise SourceError(
            f"{where}: {quoted(name)} cannot be the name of a tool", "printable, at most 256 long"
        )
    for key in ("inputSchema", "outputSchema"):
        if not isinstance(tool.get(key, {}), dict | None):
            raise SourceError(
                f"{where}: `{key}` of {quoted(name)} is {_kind(tool[key])}, and must be an object"
            )
    if not isinstance(tool.get("description", ""), str | None):
        raise SourceError(f"{where}: the description of {quoted(name)} is no text")


def _spec(tool: dict[str, Any], wire_name: str, unique: bool, origin: str, notes: list[str]) -> Imported:
    fields: dict[str, Any] = {"toolgen": 1, "name": wire_name}
    carried = {key: value for key, value in tool.items() if key not in _FIELDS}
    options: dict[str, Any] = {}
    if wire_name != tool["name"]:
        if unique:
            options["name"] = tool["name"]
            fields["aliases"] = [tool["name"]]
            notes.append(f"published, and answered, as {quoted(tool['name'], 256)}")
        else:
            notes.append(f"published so, since {quoted(tool['name'], 256)} is another tool already")
    _texts(tool, fields, carried, notes)
    _annotations(tool, fields, carried, options)
    _icons_and_meta(tool, fields, carried)
    _schemas(tool, fields, carried, notes)
    if options:
        fields["targets"] = {"mcp": options}
    if carried:
        fields[CARRIED] = carried
    return Imported(in_order(fields), tuple(f"{wire_name}: {note}" for note in notes), origin)


def _texts(tool: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], notes: list[str]) -> None:
    title = tool.get("title")
    if isinstance(title, str) and title:
        fields["title"] = title
    elif title is not None:
        carried["title"] = title
    description = tool.get("description")
    fields["description"] = description or fields.get("title") or tool["name"]
    if not description:
        carried["description"] = description
        notes.append("has no description: write one, models choose by it")


def _annotations(
    tool: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], options: dict[str, Any]
) -> None:
    """The hints; a title that stands in both places is written once, as `title`."""
    hints = tool.get("annotations")
    title = fields.get("title")
    if hints is not None and not (hints and _fits_annotations(hints)):
        carried["annotations"] = hints
        hints = {
            key: hints[key] for key in _HINTS if isinstance(hints, dict) and isinstance(hints.get(key), bool)
        }
    written = dict(hints or {})
    if title is not None and "title" not in written:
        options["annotations_title"] = False
    elif title is not None and next(iter(written.items())) == ("title", title):
        del written["title"]
    if written:
        fields["annotations"] = written


def _fits_annotations(hints: Any) -> bool:
    try:
        Annotations.model_validate(hints)
    except ValidationError:
        return False
    return not _has_null(hints)


def _icons_and_meta(tool: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any]) -> None:
    icons, meta = tool.get("icons"), tool.get("_meta")
    if icons is not None:
        try:
            fits = bool(icons) and bool(_ICONS.validate_python(icons)) and not _has_null(icons)
        except ValidationError:
            fits = False
        (fields if fits else carried)["icons"] = icons
    if meta is not None:
        if isinstance(meta, dict) and meta:
            fields["meta"] = meta
        else:
            carried["_meta"] = meta


def _schemas(tool: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], notes: list[str]) -> None:
    if not tool.get("inputSchema") and tool.get("inputSchema") != {}:
        notes.append("has no inputSchema, which MCP demands: it takes any arguments")
    for key, field in (("inputSchema", "input_schema"), ("outputSchema", "output_schema")):
        source = tool.get(key)
        if source is None and field == "output_schema":
            continue
        fields[field], told = usable({"type": "object"} if source is None else source, field)
        if source is not None and not _same(fields[field], source):
            carried[key] = source
            notes += told


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON text: key order counts, and 1 is not 1.0."""
    return json.dumps(one) == json.dumps(other)


def _has_null(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(item is None or _has_null(item) for item in inner)


def _kind(value: Any) -> str:
    return {str: "text", list: "a list", dict: "an object", bool: "true or false"}.get(
        type(value), "null" if value is None else "a number"
    )
