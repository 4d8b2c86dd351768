"""Catalogues that tests look at: tools of published documents, texts of strangers in every field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolgen.compile.pipeline import analyze
from toolgen.documents.catalogue import catalogue, tool_entries
from toolgen.documents.site import static_site
from toolgen.language.package import PackageSettings
from toolgen.language.yaml12.writer import write
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.target_templates import load_targets

_TARGETS = ("mcp", "openai")


def write_page(folder: Path, document: Mapping[str, Any]) -> str:
    """Write the page of a catalogue; return its address."""
    folder.mkdir(parents=True)
    for name, text in static_site(dict(document)).items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return folder.joinpath("index.html").as_uri()


def document_of(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the catalogue of a tool for each schema, by name."""
    texts = {
        f"{name}.yaml": write({"name": name, "description": "A tool.", "input_schema": schema})
        for name, schema in schemas.items()
    }
    targets = load_targets(Project(Path(), "toolgen.toml", "", targets=_TARGETS))
    settings = PackageSettings(server_name="forms")
    program = analyze(texts, targets, needs_tools=False)
    return catalogue(program, tool_entries(program, targets, settings), targets, settings)


def hostile_tool(text: str, number: int) -> dict[str, Any]:
    """Return the entry of a tool with a text in every field that the page shows."""
    schema = {
        "type": "object",
        "title": text,
        "description": text,
        "required": [text],
        "properties": {
            text: {"type": "string", "description": text, "default": text, "pattern": text, "format": text},
            "choice": {"enum": [text, "other"], "title": text, "description": text},
            "constant": {"const": text},
            "list": {"type": "array", "items": {"$ref": f"#/$defs/{_pointer(text)}"}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "description": text}},
            "x": {text: text, "x-unknown": text},
        },
        "$defs": {text: {"type": "string", "description": text}},
    }
    return {
        "name": f"tool{number}",
        "title": text,
        "file": text,
        "description": text,
        "version": text,
        "tags": [text],
        "aliases": [text],
        "group": text,
        "annotations": {text: text, "title": text},
        "deprecated": {"since": text, "replaced_by": text, "message": text},
        "schemas": {"input_schema": schema, "output_schema": schema},
        "shared": {"input_schema": {text: text}},
        "errors": [{"code": text, "description": text, "hint": text, "retryable": False}],
        "consent": {"message": text, "question": text, "example": text, "preview": True, "on_unsupported": "deny"},
        "scopes": [text],
        "content": [{"type": "image", "media_types": [text], "description": text}],
        "examples": [{"name": text, "description": text, "ask": text, "input": {text: text}, "output": text, "error": text}],
        "published": {
            "mcp": {"name": text, "bytes": 1, "strict": False, "losses": [{"path": text, "reason": text}]}
        },
        "changes": [number],
    }  # fmt: skip


def hostile_document(texts: Sequence[str]) -> dict[str, Any]:
    """Return a catalogue with a tool for each text."""
    changes = [
        {
            "rule": text,
            "category": "wire",
            "level": "error",
            "message": text,
            "hint": text,
            "pointer": text,
            "tools": [f"tool{number}"],
            "accepted": text,
            "witness": {"value": text, "accepted_by": "old"},
        }
        for number, text in enumerate(texts)
    ]
    return {
        "format": 1,
        "name": texts[0],
        "version": texts[0],
        "instructions": texts[0],
        "package": "shop",
        "providers": [{"name": "mcp", "label": texts[0]}],
        "sizes": {"mcp": 1},
        "tools": [hostile_tool(text, number) for number, text in enumerate(texts)],
        "shared": [],
        "against": texts[0],
        "changes": changes,
    }


def as_shown(text: str) -> str:
    """Return a text as the page shows it: what is not seen as escapes, as `explorer/src/visible.js` has them."""

    def escape(match: re.Match[str]) -> str:
        code = f"{ord(match[0]):x}"
        return f"\\u{{{code}}}" if len(code) > 4 else f"\\u{code:0>4}"

    paired = text.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "surrogatepass"
    )  # as JavaScript has it
    return _HIDDEN.sub(escape, paired)


_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def _pointer(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1").replace("%", "%25")
