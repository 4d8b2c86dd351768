"""What people read about one tool: plain JSON data, which the page and the Markdown show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen.compile.publishing.adapt import losses_of
from toolgen.compile.publishing.definition import description
from toolgen.compile.publishing.request_limits import json_size, published_entries
from toolgen.language.package import Tool
from toolgen.language.program import ProgramTool
from toolgen.language.spec import Confirm
from toolgen.language.targets.definition import Target
from toolgen.runtime.confirmation.question import render_message
from toolgen.runtime.definition.semantics.only_if import only_if_of
from toolgen.schema.document import JsonObject, plain_pointer

_WRITTEN = ("content", "max_result_bytes", "timeout", "concurrency", "group", "load", "version", "title")
"""Fields of a spec that are shown as their author wrote them."""


def tool_page(tool: ProgramTool, lowered: Tool, targets: Sequence[Target]) -> JsonObject:
    """Return what a page about a tool says, as far as its own spec and its shared files say it.

    `lowered` is the same tool as templates see it. `shared` has, for each schema, the names in its `$defs`
    that were copied from a shared file: `{"input_schema": {"Money": "shop.yaml#Money"}}`.
    """
    spec = tool.spec
    written: Any = tool.source.data
    page: JsonObject = {
        "name": spec.name,
        "file": tool.source.file,
        "description": description(spec),  # as a model reads it
        **{key: written[key] for key in _WRITTEN if written.get(key) is not None},
        "tags": spec.tags,
        "aliases": spec.aliases,
        "annotations": written.get("annotations"),
        "deprecated": written.get("deprecated"),
        "schemas": {name: document.schema for name, document in tool.documents.items()},
        "shared": {
            name: {key: shared_id(origin.path, origin.name) for key, origin in origins.items()}
            for name, origins in tool.origins.items()
        },
        "errors": [error.model_dump() for error in spec.errors],
        "consent": None if spec.confirm is None else _consent(tool, spec.confirm),
        "scopes": [] if spec.auth is None else spec.auth.scopes,
        "examples": [each.model_dump(by_alias=True, exclude_unset=True) for each in spec.examples],
    }
    published = {target.name: _published(tool, lowered, target) for target in targets if target.tool_name}
    said = {key: value for key, value in page.items() if value not in (None, [], {})}
    return {**said, "published": published}


def _published(tool: ProgramTool, lowered: Tool, target: Target) -> JsonObject:
    """Return the name, the size and the losses of a tool for one target."""
    published = lowered.published[target.name]
    losses = losses_of(tool, target)
    return {
        "name": published.name,
        "bytes": sum(map(json_size, published_entries(lowered, target.name))),
        "strict": published.strict,
        "losses": [{"path": plain_pointer(loss.path), "reason": loss.reason} for loss in losses],
    }


def shared_id(path: str, name: str) -> str:
    """Return the name of a shared schema on a page: its file below the specs folder, and its own name."""
    return f"{path}#{name}"


def _consent(tool: ProgramTool, confirm: Confirm) -> JsonObject:
    """Return what the user is asked, with the question for an example that the tool carries out."""
    only_if = only_if_of(confirm.only_if, tool.documents["input_schema"])
    carried_out = (each for each in tool.spec.examples if each.error is None)
    asked = next((each for each in carried_out if not (only_if and only_if.is_false(each.input))), None)
    question = None if asked is None else render_message(confirm.message, asked.input)
    of_people = {"proof", "approvers", "quorum"} if confirm.proof == "client" else None
    shown = confirm.model_dump(exclude_none=True, exclude=of_people)
    return {**shown, "question": question, "example": None if asked is None else asked.name}
