"""The contracts that a mock serves, read from specs: definitions without what only implementations need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.definition import definition
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import PackageSettings
from toolgen.data.program import ProgramTool
from toolgen.data.target import Target
from toolgen.pipeline import bind
from toolgen.python_source.names import class_stem, snake
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.targets.builtin import MCP


@dataclass(frozen=True, slots=True)
class MockExample:
    """An example of a spec: a call and its result."""

    name: str
    input: Any
    has_output: bool
    output: Any = None
    error: str | None = None  # the code of a declared error


@dataclass(frozen=True, slots=True)
class MockContract:
    """The contract of one tool, as a mock serves it."""

    definition: ToolDefinition
    examples: tuple[MockExample, ...]
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
    is_whole: bool = True,
) -> ServedContracts:
    """Return the contracts of specs. Raises `SpecErrors` with every fault in them.

    `is_whole`: they are all specs of a project.
    """
    program = bind(texts, targets, prefix, is_whole=is_whole)
    program = adapt(program, [each for each in targets if each.name == MCP.name])
    settings = PackageSettings("mock", coerce=coerce)
    return ServedContracts(tuple(_contract(tool, settings) for tool in program.tools), program.warnings)


def _contract(tool: ProgramTool, settings: PackageSettings) -> MockContract:
    py_name = snake(tool.spec.name, "tool")
    entry = definition(tool, py_name, f"{class_stem(py_name)}Tool", settings)
    entry.pop("inject", None)  # a mock needs neither injected values nor secrets
    if "auth" in entry:
        entry["auth"] = {key: value for key, value in entry["auth"].items() if key != "secrets"}
    examples = tuple(
        MockExample(
            example.name,
            example.input,
            "output" in example.model_fields_set,
            example.output,
            example.error,
        )
        for example in tool.spec.examples
    )
    secrets = () if tool.spec.auth is None else tuple(tool.spec.auth.secrets)
    return MockContract(cast("ToolDefinition", entry), examples, tool.source.file, secrets)
