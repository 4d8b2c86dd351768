"""The definition of a tool in the catalog: JSON data, keys in the order of the spec language."""

from __future__ import annotations

from typing import Any, Final

from toolgen.language.package import PackageSettings
from toolgen.language.program import ProgramTool
from toolgen.language.spec import Inject, Spec
from toolgen.language.targets.builtin import MCP
from toolgen.runtime.definition.description import join_description
from toolgen.runtime.definition.tool_definition import LOGGED, answers_of

_FIELDS: Final = (
    *(
        "name",
        "py_name",
        "class_name",
        "title",
        "description",
        "use_when",
        "avoid_when",
        "returns",
        "version",
    ),
    *("tags", "icons", "annotations", "input_schema", "output_schema", "errors", "confirm", "asks", "inject"),
    *("stream", "content", "max_result_bytes", "page", "auth", "timeout", "background", "rate_limit"),
    *("idempotency", "concurrency", "group", "load", "examples", "aliases", "deprecated", "final_answer"),
    *("coerce", "meta", "targets"),
)
_DUMPED: Final = {
    *("errors", "confirm", "auth", "background", "rate_limit", "idempotency", "deprecated", "targets"),
}
"""Fields of the definition in the order of their models, and not as the author wrote them."""
_MAY_BE_EMPTY: Final = ("input_schema", "output_schema")


def description(spec: Spec) -> str:
    """Return the description that every target publishes: with `use_when` and so on, a paragraph each."""
    texts = {"use_when": spec.use_when, "avoid_when": spec.avoid_when, "returns": spec.returns}
    written = spec.content
    content = (
        written if isinstance(written, str) else [each.model_dump(exclude_unset=True) for each in written]
    )
    deprecated = None if spec.deprecated is None else spec.deprecated.model_dump(exclude_none=True)
    return join_description(spec.description, texts, content, deprecated=deprecated)


def definition(tool: ProgramTool, py_name: str, class_name: str, settings: PackageSettings) -> dict[str, Any]:
    """Return the entry of a tool in `<package>.catalog.TOOLS`."""
    spec = tool.spec
    dumped = _DUMPED & spec.model_fields_set
    written_fields = spec.model_dump(mode="json", include=dumped, exclude_unset=True, by_alias=True)
    written: Any = tool.source.data  # keys in the author's order, which a model does not keep
    entry: dict[str, Any] = {
        **written,
        **written_fields,
        "py_name": py_name,
        "class_name": class_name,
        "description": description(spec),
        "annotations": _annotations(spec, written.get("annotations")),
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "asks": spec.asks or None,
        "inject": [_injected(item) for item in spec.inject],
        "stream": None if tool.chunk_schema is None else {"chunk_schema": tool.chunk_schema},
        "examples": _shown_examples(written.get("examples", [])),
        "final_answer": spec.final_answer or None,
        "coerce": None if (settings.coerce if spec.coerce is None else spec.coerce) else False,
        "targets": _targets(tool, written_fields.get("targets"), settings),
    }
    return {
        key: entry[key]
        for key in (*_FIELDS, *spec.extensions)
        if entry.get(key) is not None
        and (entry[key] not in ([], {}) or key in _MAY_BE_EMPTY or key.startswith("x-"))
    }


def _targets(
    tool: ProgramTool, written: dict[str, Any] | None, settings: PackageSettings
) -> dict[str, Any] | None:
    """Return the options of targets as the author wrote them, with what is said of MCP elsewhere."""
    mcp = (written or {}).get(MCP.name, {})
    configured: dict[str, bool] = {}
    # clients refuse answers that a published schema refuses
    is_kept = settings.mcp_output_schema and answers_of(tool.spec.extensions) != LOGGED
    if not is_kept and tool.output_schema is not None:
        configured["output_schema"] = False
    if tool.inline:
        configured["inline"] = True
    if configured.keys() <= mcp.keys():
        return written
    return {**(written or {}), MCP.name: {**configured, **mcp}}


def _injected(item: Inject) -> dict[str, Any]:
    optional = {"optional": True} if item.optional else {}
    return {"name": item.name, "type": item.type, **optional}


def _shown_examples(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parts of examples that a provider may show to models."""
    return [
        {"name": example["name"], "input": example["input"]} for example in examples if "error" not in example
    ]


def _annotations(spec: Spec, annotations: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the author's annotations with the title, where older MCP clients look for it."""
    options = spec.options_of(MCP.name)
    if (
        spec.title is None
        or "title" in (annotations or {})
        or not getattr(options, "annotations_title", True)
    ):
        return annotations
    return {"title": spec.title, **(annotations or {})}
