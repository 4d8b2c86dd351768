"""Anthropic (also on Bedrock): strict tools accept the author's schema without some keywords.

Properties may stay optional and arguments come back as the author's schema has them, so nothing has to be
restored. The runtime still enforces the keywords that are left out.
The rules: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from toolgen.schema.dialects.published import Loss, Published
from toolgen.schema.document import JsonObject, JsonPath, Located, SchemaDocument, edited, subschemas
from toolgen.schema.graph import all_uses, references_in
from toolgen.schema.providers import ANTHROPIC_FORMATS, ANTHROPIC_KEYWORDS

_ANNOTATIONS = frozenset({"$schema", "$comment", "$id", "examples", "deprecated", "readOnly", "writeOnly"})


def publish(document: SchemaDocument, strict: bool | None) -> Published:
    """Return what a tool publishes for Anthropic.

    `strict` is the spec's `targets.anthropic.strict`. True: the strict form if there is one, else the
    author's schema.
    """
    if not strict:
        return Published(document.schema)
    schema = document.plain.schema
    losses = tuple(_losses(document.plain))
    if any(loss.fatal for loss in losses):
        return Published(document.schema, losses=losses)
    dropped = {(*loss.path, loss.keyword) for loss in losses}

    def kept(path: JsonPath, node: JsonObject) -> JsonObject:
        keywords = (key for key in node if (*path, key) not in dropped and not _is_annotation(key))
        return {key: node[key] for key in keywords}

    return Published(edited(schema, kept), True, losses)


def _losses(document: SchemaDocument) -> Iterator[Loss]:
    nodes = dict(subschemas(document.schema))
    recursive = recursive_references(document)
    for path, node in nodes.items():
        yield from _fatal(path, node, recursive)
        target = document.target(node.get("$ref"))
        if isinstance(target, Located) and target.path not in nodes and isinstance(target.value, dict):
            yield Loss(path, "$ref", "Strict mode cannot say the keyword that this leads into.", True)
        for keyword, value in node.items():
            if _is_annotation(keyword):
                continue
            if keyword not in ANTHROPIC_KEYWORDS:
                yield Loss(path, keyword, f"Strict mode cannot say `{keyword}`; toolgen still enforces it.")
            elif keyword == "format" and value not in ANTHROPIC_FORMATS:
                reason = f"Strict mode does not know the format {value!r}; toolgen still enforces it."
                yield Loss(path, keyword, reason)
            elif keyword == "minItems" and value not in (0, 1):
                reason = "Strict mode takes no minItems but 0 and 1; toolgen still enforces it."
                yield Loss(path, keyword, reason)


def _fatal(path: JsonPath, node: Mapping[str, Any], recursive: Set[str]) -> Iterator[Loss]:
    types = node.get("type")
    is_object = types == "object" or "properties" in node or (isinstance(types, list) and "object" in types)
    if is_object and node.get("additionalProperties") is not False:
        reason = "Strict mode wants every object closed: additionalProperties must be false."
        yield Loss(path, "additionalProperties", reason, True)
    for keyword in ("oneOf", "if", "not", "patternProperties", "$dynamicRef", "$anchor"):
        if keyword in node:
            yield Loss(path, keyword, f"Strict mode cannot say `{keyword}`.", True)
    if any(isinstance(value, dict | list) for value in node.get("enum", ())):
        yield Loss(path, "enum", "Strict mode takes no lists or objects in an enum.", True)
    if "$ref" in node and node["$ref"] in recursive:
        yield Loss(path, "$ref", "Strict mode takes no schema that refers to itself.", True)


def recursive_references(document: SchemaDocument) -> set[str]:
    """Return the references whose targets contain them again, directly or through others."""
    uses: dict[str, set[str]] = {}
    waiting = list(references_in(document.schema))
    for ref in waiting:  # grows
        if ref not in uses:
            uses[ref] = references_in(document.target(ref).value)
            waiting += uses[ref]
    return {ref for ref, used in all_uses(uses).items() if ref in used}


def _is_annotation(keyword: str) -> bool:
    return keyword in _ANNOTATIONS or keyword.startswith("x-")
