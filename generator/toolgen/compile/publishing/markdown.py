"""Parts of Markdown pages about tools, as filters of templates. Texts of a spec are shown as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.escaping.places import markdown_cell, markdown_code, markdown_text
from toolgen.base.suggestions import listed
from toolgen.schema.document import as_list, as_mapping, parse_pointer

_LIMITS: Final = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "format", "x-format", "minItems", "maxItems", "uniqueItems"),
    *("const", "default"),
)
_BRANCHES: Final = {"prefixItems": "item", "oneOf": "one of", "anyOf": "any of", "allOf": "all of"}
_MOST_VALUES: Final = 20  # of an enum
_MOST_DEPTH: Final = 30  # levels of a schema that are listed
_MOST_CHARACTERS: Final = 200  # of a value
_AT_START: Final = re.compile(r"^(\d*)([#+=:.)-])")  # a heading, a list, a definition


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, with its line breaks; no line begins a heading or a list."""
    for paragraph in text.strip().split("\n\n"):
        lines = [_AT_START.sub(r"\1\\\2", markdown_text(line.strip())) for line in paragraph.splitlines()]
        if any(lines):
            yield "\\\n".join(filter(None, lines))


def quoted_lines(text: str) -> str:
    """Return text as a quotation of Markdown: a line of it begins no heading and ends no block of ours."""
    return "\n".join(f"> {markdown_text(line)}".rstrip() for line in text.splitlines())


def fenced_json(data: Any) -> str:
    """Return JSON as a fenced block. No line of JSON consists of backticks, so no text ends the block."""
    text = printable(json.dumps(data, indent=2, ensure_ascii=False), keep="\n")
    return f"```json\n{text}\n```"


def short_json(value: Any) -> str:
    """Return JSON on one line, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def schema_tree(schema: Mapping[str, Any]) -> str:
    """Return a schema as a list of its parts, then each of its definitions once."""
    parts = ["\n".join(_nodes(schema, 0)) or "It takes no parameters."]
    for key in ("$defs", "definitions"):
        for name, inner in as_mapping(schema.get(key)).items():
            found = as_mapping(inner)
            mark = "- " if found is inner else ""  # a list, where there is more to say
            lines = [f"{mark}{_type(inner)}{_facts(found)}", *_nodes(found, 1)]
            parts += [f"### {markdown_text(name)}", "\n".join(lines)]
    return "\n\n".join(parts)


def _nodes(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        yield f"{'  ' * depth}- and more"
        return
    required = as_list(schema.get("required"))
    parts = [
        (markdown_code(name), child, ", required" if name in required else "")
        for name, child in as_mapping(schema.get("properties")).items()
    ]
    parts += [
        (f"names like {markdown_code(name)}", child, "")
        for name, child in as_mapping(schema.get("patternProperties")).items()
    ]
    for keyword, label in (("items", "each item"), ("additionalProperties", "each other property")):
        parts += [(label, schema[keyword], "")] if isinstance(schema.get(keyword), Mapping) else []
    for keyword, label in _BRANCHES.items():
        parts += [
            (f"{label} ({number})", child, "") for number, child in enumerate(as_list(schema.get(keyword)), 1)
        ]
    for label, child, mark in parts:
        yield f"{'  ' * depth}- {label}: {_type(child)}{mark}{_facts(as_mapping(child))}"
        yield from _nodes(as_mapping(child), depth + 1)


def _type(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "no value" if schema is False else "any value"
    reference = schema.get("$ref")
    if isinstance(reference, str):
        path = parse_pointer(reference.removeprefix("#")) if reference.startswith("#/") else ()
        is_definition = len(path) == 2 and path[0] in ("$defs", "definitions")
        return f"**{markdown_text(str(path[1]))}**" if is_definition else markdown_code(reference)
    types = schema.get("type")
    if isinstance(types, str | list):
        return " or ".join(map(markdown_text, [types] if isinstance(types, str) else map(str, types)))
    return "one of" if "enum" in schema else "any value"


def _facts(schema: Mapping[str, Any]) -> str:
    description = schema.get("description")
    facts = [f"{key} {markdown_code(short_json(schema[key]))}" for key in _LIMITS if key in schema]
    if values := as_list(schema.get("enum")):
        facts.append(listed([markdown_code(short_json(each)) for each in values], _MOST_VALUES))
    if schema.get("additionalProperties") is False:
        facts.append("no other properties")
    text = f". {markdown_text(description)}" if isinstance(description, str) else ""
    return f"; {'; '.join(facts)}{text}" if facts else text


MARKDOWN_FILTERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "fenced_json": fenced_json,
    "markdown": markdown_text,
    "markdown_cell": markdown_cell,
    "markdown_code": markdown_code,
    "markdown_text": markdown_text,
    "paragraphs": paragraphs,
    "quoted_lines": quoted_lines,
    "schema_tree": schema_tree,
    "short_json": short_json,
}
