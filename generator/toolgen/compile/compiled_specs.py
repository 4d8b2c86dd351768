"""CompiledSpec: collected from the results of the steps; to JSON and back.

They are JSON: others may have written to a cache, and reading JSON runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter

from toolgen.compile.output_changes import summarize_file
from toolgen.compile.publishing.request_limits import tool_summary
from toolgen.language.changes import Tree
from toolgen.language.checking.asked_examples import asked_examples
from toolgen.language.checking.conflicts import (
    group_names,
    module_of_shared_file,
    published_names,
    python_names,
    tool_names,
)
from toolgen.language.compiled_spec import CompiledSpec, SpecCode
from toolgen.language.diagnostic import Diagnostic, Sunset
from toolgen.language.package import Package, Tool
from toolgen.language.program import Program, ProgramTool
from toolgen.language.reading.read import read
from toolgen.language.source import Marks, Source
from toolgen.language.targets.definition import Target


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
        return {"code": SpecCode(lambda: (tool, files[path])), "file_summaries": summaries}

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
            claims=(
                *tool_names(tool),
                *published_names(tool, tool.published),
                *group_names(tool),
                *python_names(tool),
            ),
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


@dataclass(frozen=True, slots=True)
class StoredSpec:
    """A compiled spec as JSON: what linking needs, and the tool and the files, which are read on demand."""

    facts: bytes
    code: bytes


_FACTS: Final = TypeAdapter(CompiledSpec)
_NOT_STORED: Final = {"documents", "origins", "shared_files"}  # code was made with them


@cache
def _tools() -> TypeAdapter[Tool]:
    """Return what reads and writes tools: it takes 20 ms to build, and most projects need none."""
    return TypeAdapter(Tool)


def encode(spec: CompiledSpec) -> StoredSpec:
    """Return `spec` as JSON. Raises ValueError for text that is not Unicode, which cannot be stored."""
    tool = spec.tool and _tools().dump_python(spec.tool, mode="json", exclude=_NOT_STORED)
    code = json.dumps({"tool": tool, "files": dict(spec.files)}, ensure_ascii=False)
    return StoredSpec(_FACTS.dump_json(spec), code.encode())


def decode(facts: bytes, source: Source, read_code: Callable[[], tuple[Tool | None, Tree]]) -> CompiledSpec:
    """Return the spec that `encode` wrote, whose code is read on demand; raise ValueError for other data."""
    return replace(_FACTS.validate_json(facts, context=source), code=SpecCode(read_code))


def decode_code(data: bytes) -> tuple[Tool | None, Tree]:
    """Return the tool and the files that `encode` wrote. Raises ValueError or KeyError for anything else."""
    code = json.loads(data)
    tool = code["tool"]
    return None if tool is None else _tools().validate_python(tool), code["files"]


def unread_source(file: str, path: str, text: str) -> Source:
    """Return a spec's text, which is parsed again only when a fault has to be shown at its place."""

    def mark() -> Marks:
        (source,) = read({path: text}, file.removesuffix(path))
        return source.marks

    return Source(file, text, None, mark, path)
