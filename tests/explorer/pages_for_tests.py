"""Catalogues that tests look at: tools of published documents, texts of strangers in every field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolgen.compile.pipeline import analyze
from toolgen.documents.catalogue import catalogue, tool_entries
from toolgen.documents.site import static_site
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program
from toolgen.language.yaml12.writer import write
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.target_templates import load_targets
from toolgen.proof.instances.generator import InstanceGenerator, example_value
from toolgen.sources.schema_repair import repair_schema

_TARGETS = ("mcp", "openai")


def write_page(folder: Path, document: Mapping[str, Any]) -> str:
    """Write the page of a catalogue; return its address."""
    folder.mkdir(parents=True)
    for name, text in static_site(dict(document)).items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return folder.joinpath("index.html").as_uri()


def document_of(schemas: Mapping[str, Any]) -> tuple[dict[str, Any], Program]:
    """Return the catalogue of a tool for each schema, by name; schemas that specs refuse are left out."""
    texts = {
        f"{name}.yaml": write({"name": name, "description": "A tool.", "input_schema": schema})
        for name, schema in schemas.items()
    }
    targets = load_targets(Project(Path(), "toolgen.toml", "", targets=_TARGETS))
    settings = PackageSettings(server_name="corpus")
    while True:
        try:
            program = analyze(texts, targets, needs_tools=False)
        except SpecErrors as errors:
            for each in {diagnostic.span.file for diagnostic in errors.diagnostics}:
                del texts[each]
            continue
        return catalogue(program, tool_entries(program, targets, settings), targets, settings), program


def requests_of(program: Program, names: Sequence[str], *, seed: int = 1) -> dict[str, list[Any]]:
    """Return generated valid requests of these tools: a realistic one, and one at the limits of its schema."""
    found = {}
    for tool in program.tools:
        if tool.spec.name not in names:
            continue
        usual = example_value(tool.input_schema, seed=seed)
        others = InstanceGenerator(tool.input_schema).valid_values(seed=seed, count=1)
        found[tool.spec.name] = [each for each in (usual, *others) if isinstance(each, dict)]
    return found


def evenly(items: Sequence[Any], most: int | None) -> list[Any]:
    """Return at most so many items, drawn evenly; all of them for None."""
    count = len(items) if most is None else min(most, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def published_schemas(path: Path) -> Iterator[Any]:
    """Yield the input schemas of a file of tools, one a line, of MCP or of OpenAI."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            tool = json.loads(line)
            function = tool.get("function_raw") or tool.get("function") or tool
            schema = tool.get("inputSchema") or function.get("parameters") or {"type": "object"}
            yield repair_schema(
                schema, "input_schema"
            ).schema  # some have `type: dict`, as their models expect


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
