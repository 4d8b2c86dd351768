"""The definitions that each adapter must publish, computed from the YAML files without toolgen's code.

The demo and the tests of the seeds compare whole definitions with it. Schemas are compared with every
reference replaced by what it refers to, so that the names and the order of `$defs` do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

JsonObject = dict[str, Any]

SPECS = Path(__file__).parents[1] / "specs"
STRICT_LOSES = frozenset({"minLength", "maxLength", "uniqueItems", "default"})
"""Keywords that OpenAI's strict mode does not have, according to docs/dialects.md."""
GEMINI_WORDS = frozenset({"minLength", "maxLength", "pattern", "uniqueItems", "default"})
"""Keywords that Gemini does not have; they become part of the description."""
GEMINI_FORMATS = frozenset({"date-time", "date", "time"})
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def read_spec(name: str) -> JsonObject:
    """Return a spec as its author wrote it."""
    found: JsonObject = _parsed((SPECS / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


@cache
def _parsed(text: str) -> Any:
    """Parse a YAML text. The result is cached and shared, so callers must not change it."""
    return yaml.safe_load(text)


def spec_names() -> list[str]:
    """Return the names of all tools that have a spec."""
    return sorted(path.stem for path in SPECS.glob("[!.]*.yaml"))


def description(spec: Mapping[str, Any]) -> str:
    """Return the description that every adapter publishes."""
    parts = [str(spec["description"]).strip()]
    leads = (("use_when", "Use when"), ("avoid_when", "Avoid when"), ("returns", "Returns"))
    parts += [f"{lead}: {str(spec[key]).strip()}" for key, lead in leads if key in spec]
    if "content" in spec:
        parts.append("\n".join(["Content of the result:", *map(_content_line, spec["content"])]))
    return "\n\n".join(parts)


def _content_line(entry: Mapping[str, Any]) -> str:
    """Return what the description says of one entry of `content`, which is exactly one block."""
    return f"- {entry['type']} ({', '.join(entry['media_types'])}), {entry['min']}: {entry['description']}"


def written_out(spec: Mapping[str, Any], key: str) -> Any:
    """Return a schema of a spec with all references to files and to `$defs` inlined."""
    return _written_out(spec[key], spec[key], SPECS)


def published_written_out(schema: Mapping[str, Any]) -> Any:
    """Return a published schema in the same form, for comparison. Raises ValueError for other references."""
    return _written_out(schema, schema, None)


def _written_out(node: Any, document: Any, folder: Path | None, depth: int = 0) -> Any:
    if depth > 50:
        raise ValueError("the schema refers to itself")
    if isinstance(node, list):
        return [_written_out(each, document, folder, depth + 1) for each in node]
    if not isinstance(node, dict):
        return node
    made = {
        key: _written_out(value, document, folder, depth + 1)
        for key, value in node.items()
        if key not in ("$defs", "$ref", "$schema")
    }
    if "$ref" in node:
        target, inside, below = _target(node["$ref"], document, folder)
        made["$ref"] = _written_out(target, inside, below, depth + 1)
    return made


def _target(reference: str, document: Any, folder: Path | None) -> tuple[Any, Any, Path | None]:
    file, _, pointer = reference.partition("#")
    if file:
        if folder is None:
            raise ValueError(f"{reference} leads out of what was published")
        path = folder / file
        document, folder = _parsed(path.read_text(encoding="utf-8")), path.parent
    found = document
    for step in pointer.strip("/").split("/"):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    return found, document, folder


def _mapped(node: JsonObject, change: Callable[[Any], Any]) -> JsonObject:
    """Return a schema whose subschemas are changed by `change`."""
    made = dict(node)
    for key in _MAPS:
        if key in made:
            made[key] = {name: change(each) for name, each in made[key].items()}
    for key in _LISTS:
        if key in made:
            made[key] = [change(each) for each in made[key]]
    for key in _ONE:
        if isinstance(made.get(key), dict):
            made[key] = change(made[key])
    if "$ref" in made:
        made["$ref"] = change(made["$ref"])
    return made


def openai_strict(schema: Any) -> Any:
    """Return a written-out schema for OpenAI's strict mode: closed, all required, absent is null."""
    if not isinstance(schema, dict):
        return schema
    made = _mapped({key: value for key, value in schema.items() if key not in STRICT_LOSES}, openai_strict)
    if "properties" in made:
        required = set(schema.get("required", ()))
        made["properties"] = {
            name: each if name in required else _or_null(each) for name, each in made["properties"].items()
        }
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    return made


def _or_null(schema: JsonObject) -> JsonObject:
    inner = {key: value for key, value in schema.items() if key != "description"}
    about = {"description": schema["description"]} if "description" in schema else {}
    return {**about, "anyOf": [inner, {"type": "null"}]}


def gemini(schema: Any) -> Any:
    """Return a written-out schema in Gemini's keywords, the others in the description, references inlined."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:  # what the schema says itself comes first
        own = {key: value for key, value in schema.items() if key != "$ref"}
        return gemini({**own, **{key: value for key, value in schema["$ref"].items() if key not in own}})
    absent = GEMINI_WORDS if schema.get("format") in GEMINI_FORMATS else GEMINI_WORDS | {"format"}
    words = [
        f"{key}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in schema.items()
        if key in absent and not (key == "uniqueItems" and value is False)
    ]
    made = _mapped({key: value for key, value in schema.items() if key not in absent}, gemini)
    if "const" in made:
        made["enum"] = [made.pop("const")]
    if words:
        made["description"] = f"{made.get('description', '')} ({'; '.join(words)})".strip()
    return made


def faults(tools: Mapping[str, Mapping[str, Any]], expected: Callable[[JsonObject], JsonObject]) -> list[str]:
    """Return the tools and fields that are not published as expected. A missing tool is a fault, too."""
    found = [f"{name} is not published" for name in spec_names() if name not in tools]
    for name, tool in tools.items():
        spec = read_spec(name)
        wanted, got = expected(spec), dict(tool)
        found += [
            f"{name}: {key} is {got.get(key)!r}, not {wanted.get(key)!r}"
            for key in sorted(wanted.keys() | got.keys())
            if wanted.get(key) != got.get(key)
        ]
    return found


def mcp_faults(listed: Sequence[Mapping[str, Any]], *, legacy: bool) -> list[str]:
    """Return the differences between a `tools/list` result and the specs."""

    def expected(spec: JsonObject) -> JsonObject:
        annotations = dict(spec.get("annotations", {}))
        if "title" in spec:
            annotations.setdefault("title", spec["title"])
        tool: JsonObject = {"name": spec["name"], "description": description(spec)}
        tool |= {key: spec[key] for key in ("title", "icons") if key in spec}
        tool |= {"annotations": annotations} if annotations else {}
        own = {
            f"toolgen/{field}": spec[field] for field in ("version", "deprecated", "errors") if field in spec
        }
        meta = {**spec.get("meta", {}), **own}
        tool |= {"_meta": meta} if meta else {}
        tool["inputSchema"] = written_out(spec, "input_schema")
        if "output_schema" in spec:
            output = written_out(spec, "output_schema")
            if legacy and output.get("type") != "object":
                output = {"type": "object", "required": ["result"], "properties": {"result": output}}
            tool["outputSchema"] = output
        return tool

    return faults({tool["name"]: _compared(tool, "inputSchema", "outputSchema") for tool in listed}, expected)


def _compared(tool: Mapping[str, Any], *schemas: str) -> JsonObject:
    written = {key: published_written_out(tool[key]) for key in schemas if key in tool}
    return {**{key: value for key, value in tool.items() if value is not None}, **written}


def is_strict(spec: Mapping[str, Any], target: str) -> bool | None:
    """Return the spec's `strict` for a target."""
    found: bool | None = spec.get("targets", {}).get(target, {}).get("strict")
    return found


def strict_loses_nothing(schema: Any) -> bool:
    """True if OpenAI's strict mode can express all of a written-out schema."""
    if not isinstance(schema, dict):
        return True
    if schema.keys() & STRICT_LOSES or ("properties" in schema and schema.get("additionalProperties", True)):
        return False
    inner: list[bool] = []
    _mapped(schema, lambda each: inner.append(strict_loses_nothing(each)))
    return all(inner)


def openai_faults(functions: Sequence[Mapping[str, Any]], *, responses: bool = False) -> list[str]:
    """Return the differences between OpenAI functions and the specs.

    A function is strict if the spec asks for it, or if nothing is lost by it. With `responses`, the functions
    are those for Responses, which have the schemas of results, too, unless a result has other content; in the
    gallery, all results are objects.
    """

    def expected(spec: JsonObject) -> JsonObject:
        schema, wanted = written_out(spec, "input_schema"), is_strict(spec, "openai")
        strict = strict_loses_nothing(schema) if wanted is None else wanted
        function = {
            "name": spec["name"],
            "description": description(spec),
            "parameters": openai_strict(schema) if strict else schema,
            "strict": strict,
        }
        if responses and "output_schema" in spec and "content" not in spec:
            function["output_schema"] = written_out(spec, "output_schema")
        return function

    tools = {each["name"]: _compared(each, "parameters", "output_schema") for each in functions}
    return faults(tools, expected)


def input_examples(spec: Mapping[str, Any]) -> list[JsonObject]:
    """Return the arguments of the first five examples that have some, and end without an error."""
    examples = [each for each in spec.get("examples", ()) if "error" not in each and each["input"]]
    return [each["input"] for each in examples[:5]]


def anthropic_faults(tools: Sequence[Mapping[str, Any]], *, examples: bool = True) -> list[str]:
    """Return the differences between Anthropic tools and the specs; `examples` are part of them."""

    def expected(spec: JsonObject) -> JsonObject:
        schema = written_out(spec, "input_schema")
        tool = {"name": spec["name"], "description": description(spec), "input_schema": schema}
        if examples and (arguments := input_examples(spec)):
            tool["input_examples"] = arguments
        return tool

    return faults({each["name"]: _compared(each, "input_schema") for each in tools}, expected)


def bedrock_faults(config: Mapping[str, Any]) -> list[str]:
    """Return the differences between a Bedrock tool configuration and the specs."""
    tools = [
        {
            "name": each["toolSpec"]["name"],
            "description": each["toolSpec"]["description"],
            "input_schema": each["toolSpec"]["inputSchema"]["json"],
        }
        for each in config["tools"]
    ]
    return anthropic_faults(tools, examples=False)


def gemini_faults(declarations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the differences between Gemini's function declarations and the specs."""

    def expected(spec: JsonObject) -> JsonObject:
        schema = gemini(written_out(spec, "input_schema"))
        function = {"name": spec["name"], "description": description(spec), "parameters_json_schema": schema}
        if "output_schema" in spec:
            function["response_json_schema"] = gemini(written_out(spec, "output_schema"))
        return function

    schemas = ("parameters_json_schema", "response_json_schema")
    return faults({each["name"]: _compared(each, *schemas) for each in declarations}, expected)
