"""Suites for promptfoo (https://www.promptfoo.dev), as version 0.123 reads them, of examples with `ask`.

A case is the call that a provider's model should make. Texts of specs are in JSON files, which promptfoo does
not take for templates. Prompts are templates, but of messages in JSON, in which the value of a variable is
inserted as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from toolgen.compile.printing.render import render_file
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.package import Tool
from toolgen.language.program import ProgramTool
from toolgen.language.source import Span
from toolgen.project import UnableError, find_root, locate, read_text, replace_files
from toolgen.project.building.exports import tools_of_format
from toolgen.project.building.project_build import read_inputs
from toolgen.project.files.reading import RootedPath
from toolgen.runtime.adapters.published_tools import published
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.schema.document import JsonObject
from toolgen.testing.requests import with_defaults
from toolgen.testing.tool_under_test import tool_under_test

CONFIG = "promptfooconfig.yaml"
FORMATS: Mapping[str, str] = {
    "openai:chat": "openai-chat",
    "openai:responses": "openai-responses",
    "anthropic:messages": "anthropic",
}
"""Beginning of a provider's id → format of its tools, as `toolgen export` names it."""

SHORT_IDS: Mapping[str, str] = {
    "openai": "openai:chat:gpt-5.5",
    "anthropic": "anthropic:messages:claude-opus-4-7",
}
_ID = re.compile(rf"({'|'.join(FORMATS)}):[A-Za-z0-9][A-Za-z0-9._:/@-]*")
_REPLACED = re.compile(r"^(?:file://|package:)|\{\{\s*ask\s*\}\}")
"""Values of variables that promptfoo replaces: by a file, by the result of a module, by the variable."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The files of a suite, and those in the folder that it is for."""

    provider: str
    cases: Sequence[EvalCase]
    files: Mapping[str, str]  # name → text
    existing: Mapping[str, str | None]  # the same names → text on disk
    folder: RootedPath
    shown: str  # the folder as the user named it
    warnings: Sequence[Diagnostic]

    def write(self) -> None:
        """Write it. Raises `UnableError` where another file is in the way."""
        there = [f"{self.shown}/{name}" for name, text in self.existing.items() if text is not None]
        if there and not is_own_config(self.existing[CONFIG] or ""):
            message = f"{', '.join(there)}: not written by `toolgen export evals`"
            raise UnableError("file-exists", message, "choose another folder: -o DIR")
        replace_files(self.folder.root, self.files, below=self.folder.path)


def read_suite(start: str, provider: str, output: str, *, with_arguments: bool) -> Suite:
    """Return the suite of the project at `start`. Raises `SpecErrors`, or `UnableError` without a case."""
    provider = SHORT_IDS.get(provider, provider)
    found = tools_of_format(read_inputs(start), provider_format(provider))
    cases = list(eval_cases(found.program.tools, found.tools, found.target))
    if not cases:
        hint = 'write what a user would say into an example: ask: "Order 24 brake pads"'
        raise UnableError("no-asks", "there is no example with `ask`", hint)
    if faults := list(unusable_asks(cases)):
        raise SpecErrors(faults)
    files = suite_files(cases, found.document, provider, with_arguments=with_arguments)
    folder = locate(find_root(Path(start)), Path(start), output)
    existing = {name: read_text(folder.root, folder.with_name(name)) for name in files}
    warnings = [each for each in found.program.warnings if each.code == "contradicting-asks"]
    return Suite(provider, cases, files, existing, folder, output, warnings)


@dataclass(frozen=True, slots=True)
class EvalCase:
    """An example with `ask`, with the names that the provider's model sees."""

    title: str  # the tool's name and the example's
    ask: str
    tool: str
    arguments: JsonObject
    defaults: JsonObject  # of parameters that the example leaves out, and that a model may write out
    avoided: tuple[str, ...]  # tools that must not be called
    place: Span  # of `ask`


def eval_cases(tools: Sequence[ProgramTool], lowered: Sequence[Tool], target: str) -> Iterator[EvalCase]:
    """Yield a case for each example with `ask`, in the order of the tools.

    `lowered` are the same tools, whose definitions the provider is given.
    """
    names = {tool.spec.name: tool.published[target].name for tool in tools}
    for tool, entry in zip(tools, lowered, strict=True):
        if any(example.ask is not None for example in tool.spec.examples):
            renames = published(cast("ToolDefinition", entry.definition), target).renames
            yield from _of_tool(tool, names, renames)


def _of_tool(tool: ProgramTool, names: Mapping[str, str], renames: Mapping[str, str]) -> Iterator[EvalCase]:
    tested = tool_under_test(tool)
    for example, expected in zip(tool.spec.examples, tested.examples, strict=True):
        if example.ask is None:
            continue
        # A model may write out a default; the call is the same.
        complete = with_defaults(tested, expected) or example.input
        defaults = {name: value for name, value in complete.items() if name not in example.input}
        yield EvalCase(
            title=f"{tool.spec.name}: {example.name}",
            ask=example.ask,
            tool=names[tool.spec.name],
            arguments=_renamed(example.input, renames),
            defaults=_renamed(defaults, renames),
            avoided=tuple(names[name] for name in example.not_ if name in names),
            place=tool.source.value(("examples", expected.index, "ask")),
        )


def _renamed(arguments: JsonObject, renames: Mapping[str, str]) -> JsonObject:
    return {renames.get(name, name): value for name, value in arguments.items()}


def provider_format(provider: str) -> str:
    """Return the format of the tools for a provider's id. Raises `UnableError` for one that is not known."""
    found = _ID.fullmatch(provider)
    if found is None:
        known = ", ".join([*SHORT_IDS, *(f"{beginning}:MODEL" for beginning in FORMATS)])
        raise UnableError("usage", f"there is no provider {provider!r}", f"there are {known}")
    return FORMATS[found[1]]


def unusable_asks(cases: Sequence[EvalCase]) -> Iterator[Diagnostic]:
    """Yield a fault for each `ask` that promptfoo would not send to the model as it is."""
    for case in cases:
        if found := _REPLACED.search(case.ask):
            message = f"promptfoo would replace {found[0]!r} by something else"
            yield Diagnostic(case.place, "bad-value", message, "write it in other words")


def suite_files(
    cases: Sequence[EvalCase], tools: Any, provider: str, *, with_arguments: bool = True
) -> dict[str, str]:
    """Return the files of a suite by name; `tools` are the definitions in the provider's format."""
    # promptfoo gives checks the tool calls of all APIs but Chat Completions as lines of text.
    has_text = FORMATS["openai:chat"] != provider_format(provider)
    return {
        CONFIG: render_file("_evals/promptfooconfig.yaml.jinja", provider=provider),
        "tests.json": _json([_test(case, with_arguments) for case in cases]),
        "tool_calls.cjs": render_file("_evals/tool_calls.cjs.jinja", calls_in_text=has_text),
        "tools.json": _json(tools),
    }


def is_own_config(text: str) -> bool:
    """True if `text` is the configuration of a suite that toolgen wrote."""
    return text.startswith("# Written by `toolgen export evals`")


def _test(case: EvalCase, with_arguments: bool) -> dict[str, Any]:
    checks = [_check("tool", "calls", {"tool": case.tool})]
    if with_arguments:
        call: dict[str, Any] = {"tool": case.tool, "arguments": case.arguments}
        if case.defaults:
            call["defaults"] = case.defaults
        checks.append(_check("arguments", "callsWith", call))
    if case.avoided:
        checks.append(_check("not", "avoids", {"tools": list(case.avoided)}))
    return {"description": case.title, "vars": {"ask": case.ask}, "assert": checks}


def _check(metric: str, function: str, config: Mapping[str, Any]) -> dict[str, Any]:
    value = f"file://tool_calls.cjs:{function}"
    return {"type": "javascript", "metric": metric, "value": value, "config": config}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
