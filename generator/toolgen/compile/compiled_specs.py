"""CompiledSpec: collected from the results of the steps; to bytes and back.

The bytes are JSON: others may have written to a cache, and reading JSON runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from toolgen.compile.output_changes import summarize_file
from toolgen.compile.publishing.request_limits import tool_sizes, tool_summary
from toolgen.language.changes import FileSummary, Tree
from toolgen.language.checking.asked_examples import asked_examples
from toolgen.language.checking.conflicts import (
    group_names,
    module_of_shared_file,
    published_names,
    python_names,
    tool_names,
)
from toolgen.language.compiled_spec import AskedExample, CompiledSpec, NameClaim, NameKind, SpecCode
from toolgen.language.diagnostic import Diagnostic, Sunset
from toolgen.language.package import ErrorClass, Import, Package, RequestCost, Tool, ToolSummary
from toolgen.language.program import Program, ProgramTool, PublishedTool
from toolgen.language.reading.read import read
from toolgen.language.source import Marks, Source
from toolgen.language.target import Target
from toolgen.schema.document import Schema

FORMAT = 18
"""Raised when the same spec is encoded otherwise than before."""

_KINDS = {kind.value: kind for kind in NameKind}


def collect(
    program: Program,
    package: Package,
    files: Mapping[str, Tree],
    *,
    digests: Mapping[str, str],
    targets: Sequence[Target],
) -> dict[str, CompiledSpec]:
    """Return what the files of `package` compiled to, and disabled tools, by path below the specs folder.

    `files` are the formatted files of each of them by the same path, `digests` those of their texts. Only
    a project's own templates of files of all tools need the tools.
    """
    keeps_tools = any(target.own for target in targets)

    def code(tool: Tool | None, path: str) -> dict[str, Any]:
        summaries = {name: summarize_file(text) for name, text in files[path].items()}
        return {"code": SpecCode(lambda: tool, lambda: files[path]), "file_summaries": summaries}

    def checked(tool: ProgramTool) -> CompiledSpec:
        used = _digests(tool.source.path, tool.shared_files, digests)
        asked = tuple(asked_examples(tool))
        return CompiledSpec(tool.source, used, tool.warnings, tool_name=tool.spec.name, asked=asked)

    compiled = {
        path: CompiledSpec(
            shared.source,
            _digests(path, shared.uses, digests),
            is_shared=True,
            claims=(module_of_shared_file(path, shared),),
            **code(None, path),
        )
        for path, shared in program.shared.items()
        if path in files
    }
    # a disabled tool is checked like any other, so that enabling it brings no errors
    compiled |= {tool.source.path: checked(tool) for tool in program.disabled}
    for tool, lowered in zip(program.tools, package.tools, strict=True):
        compiled[tool.source.path] = replace(
            checked(tool),
            sunset=_sunset(tool),
            summary=tool_summary(lowered, targets),
            claims=tuple(claims_of(tool)),
            sizes=tool_sizes(lowered, targets),
            **code(lowered if keeps_tools else None, tool.source.path),
        )
    return compiled


def _sunset(tool: ProgramTool) -> Sunset | None:
    day = tool.spec.deprecated.sunset if tool.spec.deprecated else None
    if day is None:
        return None
    message = f"{tool.spec.name} was to stop working after {day}, but calls of it still work"
    hint = "remove the spec or set `enabled: false`; or announce a later day"
    place = tool.source.value(("deprecated", "sunset"))
    return Sunset(day, Diagnostic(place, "sunset-passed", message, hint))


def _digests(path: str, uses: Iterable[str], digests: Mapping[str, str]) -> dict[str, str]:
    return {other: digests[other] for other in uses if other != path}


def claims_of(tool: ProgramTool) -> Iterator[NameClaim]:
    """Yield the names that a tool needs for itself."""
    yield from tool_names(tool)
    yield from published_names(tool, tool.published)
    yield from group_names(tool)
    yield from python_names(tool)


def encode(spec: CompiledSpec) -> bytes:
    """Return `spec` as four lines of JSON: its text, what linking needs, the tool, and the files.

    Raises ValueError for text that is not Unicode, which cannot be stored.
    """
    source = spec.source
    head = {
        "source": [source.file, source.path],
        "shared_files": dict(spec.shared_files),
        "warnings": [warning.as_data() for warning in spec.warnings],
        "claims": [[claim.kind, claim.name, claim.owner, claim.path, claim.target] for claim in spec.claims],
        "tool_name": spec.tool_name,
        "asked": [[each.index, each.ask, each.input, each.avoided] for each in spec.asked],
        "is_shared": spec.is_shared,
        "sunset": None if spec.sunset is None else [spec.sunset.day, spec.sunset.error.as_data()],
        "summary": None if spec.summary is None else _summary_data(spec.summary),
        "sizes": dict(spec.sizes),
        "files": {path: [file.digest, file.source] for path, file in spec.file_summaries.items()},
    }
    # a line each, so that linking parses neither the tools nor the files
    parts = (source.text, head, None if spec.tool is None else _tool_data(spec.tool), dict(spec.files))
    return "\n".join(json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts).encode()


def decode(data: bytes) -> CompiledSpec | None:
    """Return the spec that `encode` wrote; None for anything else. Its tool and files are decoded later."""
    try:
        text, head, tool, files = data.split(b"\n")
        return decode_head(head, json.loads(text), decode_code(lambda: tool + b"\n" + files))
    except ValueError:
        return None


def decode_code(read: Callable[[], bytes]) -> SpecCode:
    """Return the tool and the files, whose lines are read when they are needed."""
    return SpecCode(
        lambda: _tool_of(json.loads(read().split(b"\n")[0])), lambda: json.loads(read().split(b"\n")[1])
    )


def decode_head(data: bytes, text: str, code: SpecCode) -> CompiledSpec | None:
    """Return the spec with this `text`, given the line for linking; None for anything else."""
    try:
        head = json.loads(data)
        file, path = head["source"]
        source = _source_of(file, path, text)
        name = head["tool_name"]
        return CompiledSpec(
            source,
            head["shared_files"],
            tuple(map(Diagnostic.of_data, head["warnings"])),
            tuple(
                NameClaim(_KINDS[kind], claimed, owner, source, tuple(path), target)
                for kind, claimed, owner, path, target in head["claims"]
            ),
            name,
            tuple(
                AskedExample(name, index, ask, arguments, tuple(avoided), source)
                for index, ask, arguments, avoided in head["asked"]
            ),
            head["is_shared"],
            None if head["sunset"] is None else _sunset_of(*head["sunset"]),
            None if head["summary"] is None else _summary_of(head["summary"]),
            {path: FileSummary(*file) for path, file in head["files"].items()},
            code,
            {str(target): int(size) for target, size in head["sizes"].items()},
        )
    # whatever is wrong in it, the spec is compiled again
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _sunset_of(day: str, error: list[Any]) -> Sunset:
    return Sunset(day, Diagnostic.of_data(error))


def _summary_data(summary: ToolSummary) -> dict[str, Any]:
    data = {name: getattr(summary, name) for name in _SUMMARY_FIELDS}
    return {**data, "costs": {target: asdict(cost) for target, cost in summary.costs.items()}}


_SUMMARY_FIELDS = tuple(field.name for field in fields(ToolSummary))


def shared_files_of(head: bytes) -> tuple[str, ...]:
    """Return the paths of the shared files that a spec uses, given its line for linking."""
    return tuple(json.loads(head)["shared_files"])


def _summary_of(data: dict[str, Any]) -> ToolSummary:
    costs = {target: RequestCost(**cost) for target, cost in data.pop("costs").items()}
    return ToolSummary(**data, costs=costs)


def _source_of(file: str, path: str, text: str) -> Source:
    """The spec's text, which is parsed again only when a fault has to be shown at its place."""

    def mark() -> Marks:
        (source,) = read({path: text}, file.removesuffix(path))
        return source.marks

    return Source(file, text, None, mark, path)


_NOT_STORED = ("documents", "origins", "shared_files")  # code was made with them
_FIELDS = tuple(field.name for field in fields(Tool) if field.name not in _NOT_STORED)
_TUPLES = ("exports", "model_classes", "annotation_imports", "typing_names", "runtime_names")


def _tool_data(tool: Tool) -> dict[str, Any]:
    """The fields of a tool; a schema that several of them hold is written once."""
    own = tool.input_schema
    data = {name: getattr(tool, name) for name in _FIELDS}
    data["definition"] = {
        key: None if value is own or value is tool.output_schema else value
        for key, value in tool.definition.items()
    }
    data["errors"] = [asdict(error) for error in tool.errors]
    data["imports"] = [asdict(each) for each in tool.imports]
    data["published"] = {
        name: _published_data(each, own, tool.output_schema) for name, each in tool.published.items()
    }
    return data


def _published_data(published: PublishedTool, own: Schema, own_output: Schema | None) -> dict[str, Any]:
    """The fields that are not the defaults; null stands for the tool's own schema."""
    data: dict[str, Any] = {"name": published.name, "input_schema": None}
    if published.input_schema is not own:
        data["input_schema"] = published.input_schema
    if published.strict:
        data["strict"] = True
    if published.output_schema is not None:
        is_own = published.output_schema is own_output
        data["output_schema"] = None if is_own else published.output_schema
    if published.input_examples:
        data["input_examples"] = published.input_examples
    return data


def _published_of(data: dict[str, Any], own: Schema, own_output: Schema | None) -> PublishedTool:
    for key, schema in (("input_schema", own), ("output_schema", own_output)):
        if key in data:
            data[key] = schema if data[key] is None else data[key]
    if "input_examples" in data:
        data["input_examples"] = tuple(data["input_examples"])
    return PublishedTool(**data)


def _tool_of(data: dict[str, Any] | None) -> Tool | None:
    if data is None:
        return None
    own = data["input_schema"]
    for key in ("input_schema", "output_schema"):
        if key in data["definition"] and data["definition"][key] is None:
            data["definition"][key] = data[key]
    data["errors"] = tuple(ErrorClass(**error) for error in data["errors"])
    data["imports"] = tuple(Import(**each) for each in data["imports"])
    data["published"] = {
        name: _published_of(each, own, data["output_schema"]) for name, each in data["published"].items()
    }
    return Tool(**{**data, **{name: tuple(data[name]) for name in _TUPLES}})
