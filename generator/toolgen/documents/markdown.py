"""A catalogue as Markdown: a page for each tool, an index, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.base.escaping.places import markdown_code, markdown_text
from toolgen.compile.printing.markdown_page import HEADER, json_block, paragraphs, tool_markdown
from toolgen.language.names import tool_module
from toolgen.schema.document import JsonObject

MARKDOWN_INDEX: Final = "index.md"
MARKDOWN_MARK: Final = HEADER
"""The first line of every file."""

_LEVELS: Final = {"error": "breaks", "warning": "may break", "info": "safe"}


def markdown_files(document: JsonObject) -> dict[str, str]:
    """Return the files of a catalogue: name → text."""
    files = {MARKDOWN_INDEX: _file("\n\n".join(_index(document)) + "\n")}
    for tool in document["tools"]:
        changes = [document["changes"][index] for index in tool.get("changes", ())]
        text = tool_markdown(tool)
        if changes:
            text += "\n" + "\n\n".join(_changes(document["against"], changes)) + "\n"
        files[_path(tool)] = _file(text)
    return files


def _path(tool: JsonObject) -> str:
    # in a folder of their own: a tool may be called `index`
    return f"tools/{tool_module(tool['name'])}.md"


def _file(text: str) -> str:
    return f"{HEADER}\n\n{text}"


def _index(document: JsonObject) -> Iterator[str]:
    yield f"# {markdown_text(document['name'])}"
    yield from paragraphs(document["instructions"] or "")
    rows = [
        f"| [{markdown_text(tool['name'])}]({_path(tool)}) | {markdown_text(_first_line(tool))} |"
        for tool in document["tools"]
    ]
    yield "\n".join(["| tool | what it does |", "|---|---|", *rows])
    sizes = [
        f"| {markdown_text(each['label'])} | {document['sizes'].get(each['name'], 0):,} |"
        for each in document["providers"]
    ]
    if sizes:
        yield "## Sizes"
        yield "\n".join(["| provider | bytes of all definitions |", "|---|---|", *sizes])
    if document["changes"]:
        yield from _changes(document["against"], document["changes"], with_tools=True)


def _first_line(tool: JsonObject) -> str:
    text: str = tool["description"]
    return text.strip().partition("\n")[0]


def _changes(against: str, changes: list[JsonObject], *, with_tools: bool = False) -> Iterator[str]:
    yield f"## Changes since {markdown_text(against)}"
    for each in changes:
        level = "accepted" if each["accepted"] else _LEVELS[each["level"]]
        tools = "".join(f"{markdown_code(name)}: " for name in each["tools"]) if with_tools else ""
        yield f"- **{level}** {tools}{markdown_text(each['message'])} ({markdown_code(each['rule'])})"
        if each["witness"] is not None:
            kept = each["witness"]["accepted_by"]
            refused = "new" if kept == "old" else "old"
            yield f"  The {kept} version accepts this value, the {refused} one refuses it:"
            yield json_block(each["witness"]["value"])
