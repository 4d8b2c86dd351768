"""A toolkit of mock tools, made from specs, and made again when they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import Any

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.project import load_targets
from toolgen.project.building.spec_source import SpecSource, find_specs
from toolgen.runtime.context import ToolConfig
from toolgen.runtime.tool import BaseTool
from toolgen.runtime.toolkit import Toolkit

from .contracts import MockContract, ServedContracts, read_contracts
from .tool import FaultDice, Faults, MockSettings, check_faults, mock_tool

MakeTool = Callable[[MockContract], BaseTool[Any, Any]]


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
    served = ServedSpecs(specs, mocking(faults, seed), config=config)
    check_faults(faults, served.contracts)
    return served.toolkit


def mocking(faults: Faults, seed: int) -> MakeTool:
    """Return a function that makes mock tools, which share their faults."""
    settings = MockSettings(faults, seed, FaultDice(faults, seed))
    return lambda contract: mock_tool(contract, settings)


class ServedSpecs:
    """A toolkit whose tools are made from specs, and made again when these change.

    Raises `SpecErrors` and `UnableError` as `mock_toolkit` does.
    """

    def __init__(
        self, specs: str | PathLike[str], make: MakeTool, *, config: ToolConfig | None = None
    ) -> None:
        self.source = find_specs(specs)
        self._specs = specs
        self._make = make
        self._seen = dict(self.source.texts())
        served = _read(self.source, self._seen)
        self._good = self._seen  # path → text, of the specs that are served
        self.warnings: tuple[Diagnostic, ...] = served.warnings
        self.contracts = served.tools
        self._tools = {each.definition["name"]: make(each) for each in served.tools}
        self.toolkit = Toolkit(self._tools.values(), config=config)

    def reload(self) -> tuple[str, ...]:
        """Read the specs again, if they changed. Return the names of tools that are new, changed or gone.

        Raises `SpecErrors` or `UnableError` for specs that are not valid. Of these, the last good contracts
        stay; all other changes are made, unless they do not fit together with them.
        """
        source = find_specs(self._specs)
        texts = dict(source.texts())
        if texts == self._seen and source == self.source:
            return ()
        self.source, self._seen = source, texts
        try:
            return self._serve(texts)
        except SpecErrors as errors:
            good = self._last_good(texts, errors)
            if good != self._good:
                with suppress(SpecErrors):
                    self._serve(good)
            raise

    def _serve(self, texts: Mapping[str, bytes]) -> tuple[str, ...]:
        """Serve the tools of `texts`. Return the names of those that changed. Raises `SpecErrors`."""
        served = _read(self.source, texts)
        known = {each.definition["name"]: each for each in self.contracts}
        before, tools = self._tools, {}
        for contract in served.tools:  # tools whose contracts have not changed stay
            name = contract.definition["name"]
            tools[name] = before[name] if known.get(name) == contract else self._make(contract)
        self.toolkit.replace(tools.values())
        self._tools, self.contracts, self.warnings = tools, served.tools, served.warnings
        self._good = dict(texts)
        return tuple(sorted(name for name in {**before, **tools} if before.get(name) is not tools.get(name)))

    def _last_good(self, texts: Mapping[str, bytes], errors: SpecErrors) -> dict[str, bytes]:
        """Return `texts` with the last good text of every spec that has errors; without new ones."""
        faulty = {each.span.file.removeprefix(self.source.prefix) for each in errors.diagnostics}
        good = {path: text for path, text in texts.items() if path not in faulty}
        good |= {path: self._good[path] for path in faulty if path in self._good}
        return dict(sorted(good.items()))


def _read(source: SpecSource, texts: Mapping[str, bytes]) -> ServedContracts:
    targets = load_targets(replace(source.project, targets=None))
    return read_contracts(
        texts,
        targets,
        source.prefix,
        coerce=source.project.coerce,
        mcp_output_schema=source.project.mcp_output_schema,
        mcp_references=source.project.mcp_references,
        is_whole=not source.only,
    )
