"""The contracts that a mock serves, read from specs: definitions without what only implementations need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from toolgen.compile.pipeline import bind
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.definition import definition
from toolgen.compile.publishing.references import choose_references
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.names import class_stem, tool_module
from toolgen.language.package import PackageSettings
from toolgen.language.program import ProgramTool
from toolgen.language.target import Target
from toolgen.language.targets.builtin import MCP
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.testing.tool_under_test import ExpectedCall, expected_calls


@dataclass(frozen=True, slots=True)
class MockContract:
    """The contract of one tool, as a mock serves it."""

    definition: ToolDefinition
    examples: tuple[ExpectedCall, ...]
    file: str  # the spec
    secrets: tuple[str, ...] = ()  # environment variables that an implementation needs


@dataclass(frozen=True, slots=True)
class ServedContracts:
    """The contracts of all enabled tools, sorted by name."""

    tools: tuple[MockContract, ...]
    warnings: tuple[Diagnostic, ...]


def read_contracts(
    texts: Mapping[str, bytes],
    targets: Sequence[Target],
    prefix: str,
    *,
    coerce: bool = True,
    mcp_output_schema: bool = True,
    mcp_references: str = "keep",
    is_whole: bool = True,
) -> ServedContracts:
    """Return the contracts of specs. Raises `SpecErrors` with every fault in them.

    `is_whole`: they are all specs of a project.
    """
    program = bind(texts, targets, prefix, is_whole=is_whole)
    program = adapt(program, [each for each in targets if each.name == MCP.name])
    settings = PackageSettings(
        "mock", coerce=coerce, mcp_output_schema=mcp_output_schema, mcp_references=mcp_references
    )
    program = choose_references(program, settings)
    return ServedContracts(tuple(_contract(tool, settings) for tool in program.tools), program.warnings)


def _contract(tool: ProgramTool, settings: PackageSettings) -> MockContract:
    py_name = tool_module(tool.spec.name)
    entry = definition(tool, py_name, f"{class_stem(py_name)}Tool", settings)
    entry.pop("inject", None)  # a mock needs neither injected values nor secrets
    if "auth" in entry:
        entry["auth"] = {key: value for key, value in entry["auth"].items() if key != "secrets"}
    secrets = () if tool.spec.auth is None else tuple(tool.spec.auth.secrets)
    return MockContract(cast("ToolDefinition", entry), expected_calls(tool), tool.source.file, secrets)
