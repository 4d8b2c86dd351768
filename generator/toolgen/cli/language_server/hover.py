"""Hover: what a field means, and what models read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.escaping.places import markdown_text
from toolgen.cli.language_server.cursor import Place
from toolgen.cli.language_server.language import documentation, is_in_schema, schemas_at
from toolgen.cli.language_server.links import Files
from toolgen.cli.language_server.project_files import FileAnalysis
from toolgen.compile.publishing.definition import description
from toolgen.language.codes import CODES
from toolgen.language.program import ProgramTool
from toolgen.language.spec import is_shared_file
from toolgen.schema.document import JsonPath, locate

_DESCRIBED: Final = ("name", "description", "use_when", "avoid_when", "returns", "content", "deprecated")
"""Fields that are part of the description that models read, and the name, at which one looks for it."""
_MOST_CHARACTERS: Final = 4_000
_SCHEMAS: Final = ("input_schema", "output_schema")


def hover(files: Files, path: str, place: Place) -> str:
    """Return Markdown about a key or value of a file; empty if there is nothing to say."""
    found = files.files.get(path, FileAnalysis(None, None))
    data = found.source.data if found.source is not None else None
    is_shared = is_shared_file(data) if data else False
    parts = [documentation(schemas_at(place.path, is_shared=is_shared, tool=found.tool))]
    parts = [markdown_text(each) for each in parts if each]
    parts += _about_code(place)
    if found.tool is not None:
        parts += _read_by_models(found.tool, place.path)
    parts += _target(files, found, place)
    return "\n\n".join(parts)


def _read_by_models(tool: ProgramTool, path: JsonPath) -> Iterator[str]:
    """Yield what models are sent of a place: the whole description, or the published schema."""
    if path and path[0] in _DESCRIBED:
        yield "**What models read**"
        yield _block(description(tool.spec), "text")
        return
    if path[:1] == ("targets",) and len(path) > 1 and path[1] in tool.published:
        published = tool.published[str(path[1])]
        yield f"**What {path[1]} is sent as the input schema of** `{published.name}`"
        yield _block(json.dumps(published.input_schema, indent=2, ensure_ascii=False), "json")
        return
    if not path or path[0] not in _SCHEMAS:
        return
    of_mcp = tool.published.get("mcp")
    document = tool.documents.get(str(path[0]))
    schema: Any = document.schema if document is not None else None
    if of_mcp is not None:
        schema = of_mcp.input_schema if path[0] == "input_schema" else of_mcp.output_schema
    part = locate(schema, path[1:]) if schema is not None else None
    if part is not None and isinstance(part.value, dict) and part.value:
        yield "**What models read**, as MCP publishes it"
        yield _block(json.dumps(part.value, indent=2, ensure_ascii=False), "json")


def _target(files: Files, found: FileAnalysis, place: Place) -> Iterator[str]:
    """Yield the schema, tool or error that a value names."""
    if found.source is None or place.is_key:
        return
    target = files.target_at(found.source, place.path, is_key=False)
    if target is None or (target.file, target.path) == (found.source.path, place.path):
        return
    source = next((each for each in files.sources() if each.path == target.file), None)
    if source is None:
        return
    is_schema = is_in_schema(target.path, is_shared=is_shared_file(source.data))
    part = locate(source.data, target.path if is_schema else target.path[:-1])
    if part is None:
        return
    if is_schema:
        yield f"**{markdown_text(target.file)}**"
        yield _block(json.dumps(part.value, indent=2, ensure_ascii=False), "json")
    elif isinstance(part.value, dict) and part.value.get("description"):
        yield markdown_text(str(part.value["description"]))


def _about_code(place: Place) -> Iterator[str]:
    """Yield what a rule finds, where an `x-lint` names it."""
    if place.path[-2:-1] == ("ignore",) and "x-lint" in place.path and place.path[-1] in CODES:
        about = CODES[str(place.path[-1])]
        yield markdown_text(f"Finds {about.title}. {about.why}")


def _block(text: str, language: str) -> str:
    """Return a code block that no text in it can end."""
    shown = printable(text, keep="\n\t")
    if len(shown) > _MOST_CHARACTERS:
        shown = f"{shown[:_MOST_CHARACTERS]}\n…"
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"
