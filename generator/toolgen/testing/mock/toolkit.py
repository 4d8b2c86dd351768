"""A toolkit of mock tools, made from specs, and made again when they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from toolgen.compile.pipeline import bind
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.definition import choose_references, definition
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.identifiers import class_stem, tool_module
from toolgen.language.package import PackageSettings
from toolgen.language.program import ProgramTool
from toolgen.language.targets.builtin import MCP
from toolgen.project import load_targets
from toolgen.project.building.spec_source import SpecSource, find_specs
from toolgen.runtime.context import ToolConfig
from toolgen.runtime.definition.tool_definition import ToolDefinition, needs_people
from toolgen.runtime.toolkit import Toolkit
from toolgen.testing.tool_under_test import expected_calls

from .tool import FaultDice, Faults, MockContract, check_faults, mock_tool

if TYPE_CHECKING:
    from toolgen.serving import ToolServer


def mock_toolkit(
    specs: str | PathLike[str] = ".",
    *,
    seed: int = 0,
    latency: float = 0.0,
    fail: Mapping[str, float] | None = None,
    config: ToolConfig | None = None,
) -> Toolkit:
    """Return a toolkit whose tools answer by the examples of their specs, and else with made-up values.

    No generated code is needed. Every adapter and bridge takes the toolkit. The same request always gets the
    same answer. An answer has the key `toolgen/mock` in its metadata: `{"example": NAME}`,
    `{"made_up": true}`, or `{"provoked": CODE}` for an error that was asked for.

    Args:
        specs: a project, a folder of specs, or one spec.
        seed: other made-up values for another number.
        latency: seconds before each answer.
        fail: code of an error, declared or reserved → share of the calls that end in it, from 0 to 1.
        config: the configuration of the toolkit.

    Raises:
        SpecErrors: a spec is not valid.
        UnableError: there are no specs, or the project's configuration cannot be used.
        ValueError: no tool has an error of `fail`, or a value is out of range.
    """
    faults = Faults(latency, fail or {})
    served = ServedSpecs(specs, faults, seed, config=config)
    check_faults(faults, served.contracts)
    return served.toolkit


class ServedSpecs:
    """A toolkit whose tools are made from specs, and made again when these change.

    Raises `SpecErrors` and `UnableError` as `mock_toolkit` does.
    """

    def __init__(
        self,
        specs: str | PathLike[str],
        faults: Faults | None = None,
        seed: int = 0,
        *,
        config: ToolConfig | None = None,
    ) -> None:
        self.source = find_specs(specs)
        self._specs = specs
        self._dice = FaultDice(faults or Faults(), seed)
        self._seen = dict(self.source.texts())
        self.contracts, self.warnings = _read(self.source, self._seen)
        self._tools = {each.definition["name"]: mock_tool(each, self._dice) for each in self.contracts}
        self.toolkit = Toolkit(self._tools.values(), config=config)
        self._scratch: TemporaryDirectory[str] | None = None  # with the keys of people who approve calls
        self._use_test_people()

    def _use_test_people(self) -> None:
        """Let people with test keys approve calls, if tools need people."""
        if not any(needs_people(each.definition) for each in self.contracts):
            return
        from toolgen.testing.signing import MockApprovals  # of the extra `approval`

        self._scratch = TemporaryDirectory(prefix="toolgen-mock-", ignore_cleanup_errors=True)
        approvals = MockApprovals(self.toolkit, Path(self._scratch.name))
        before = self.toolkit.use_approvals(approvals)
        if before is not None:  # the address of the server
            approvals.url = before.url

    def server(self) -> ToolServer:
        """Return an MCP server of the mocks, named as the project's own."""
        from toolgen.serving import build_server  # needs another extra than the toolkit

        project = self.source.project
        if self._scratch is not None and self.toolkit.approvals is not None:
            self.toolkit.approvals.url = None  # its own
        return build_server(
            self.toolkit,
            name=project.server_name or project.package,
            version=project.server_version,
            instructions=project.server_instructions,
            lenient_arguments=project.server_lenient_arguments,
        )

    def reload(self) -> tuple[str, ...]:
        """Read the specs again, if they changed. Return the names of tools that are new, changed or gone.

        Raises `SpecErrors` or `UnableError` for specs that are not valid; all contracts
        then stay as they are.
        """
        source = find_specs(self._specs)
        texts = dict(source.texts())
        if texts == self._seen and source == self.source:
            return ()
        self.source, self._seen = source, texts
        contracts, warnings = _read(source, texts)
        known = {each.definition["name"]: each for each in self.contracts}
        before, tools = self._tools, {}
        for contract in contracts:  # tools whose contracts have not changed stay
            name = contract.definition["name"]
            is_same = known.get(name) == contract
            tools[name] = before[name] if is_same else mock_tool(contract, self._dice)
        self.toolkit.replace(tools.values())
        self._tools, self.contracts, self.warnings = tools, contracts, warnings
        self._use_test_people()
        return tuple(sorted(name for name in {**before, **tools} if before.get(name) is not tools.get(name)))


def _read(
    source: SpecSource, texts: Mapping[str, bytes]
) -> tuple[tuple[MockContract, ...], tuple[Diagnostic, ...]]:
    """Return the contracts of all enabled tools, sorted by name, and the warnings about them.

    Raises `SpecErrors` with every fault in the specs.
    """
    project = source.project
    targets = load_targets(replace(project, targets=None))
    program = bind(texts, targets, source.prefix, is_whole=not source.only)
    program = adapt(program, [each for each in targets if each.name == MCP.name])
    settings = PackageSettings(
        "mock",
        coerce=project.coerce,
        mcp_output_schema=project.mcp_output_schema,
        mcp_references=project.mcp_references,
    )
    program = choose_references(program, settings)
    return tuple(_contract(tool, settings) for tool in program.tools), program.warnings


def _contract(tool: ProgramTool, settings: PackageSettings) -> MockContract:
    py_name = tool_module(tool.spec.name)
    entry = definition(tool, py_name, f"{class_stem(py_name)}Tool", settings)
    entry.pop("inject", None)  # a mock needs neither injected values nor secrets
    if "auth" in entry:
        entry["auth"] = {key: value for key, value in entry["auth"].items() if key != "secrets"}
    return MockContract(cast("ToolDefinition", entry), expected_calls(tool))
