"""A toolkit of mock tools, made from specs, and made again when they change."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike

from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.project import load_targets
from toolgen.runtime.context import ToolConfig
from toolgen.runtime.toolkit import Toolkit
from toolgen.testing.spec_source import SpecSource, find_specs

from .contracts import MockContract, ServedContracts, read_contracts
from .faults import FaultDice, Faults, check_faults
from .tool import MockSettings, MockTool, mock_tool


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
    return Mock(specs, Faults(latency, fail or {}), seed, config=config).toolkit


class Mock:
    """A toolkit of mock tools, and the specs that it is made from. Raises as `mock_toolkit` does."""

    def __init__(
        self, specs: str | PathLike[str], faults: Faults, seed: int, *, config: ToolConfig | None = None
    ) -> None:
        self.source = find_specs(specs)
        self._specs = specs
        self._settings = MockSettings(faults, seed, FaultDice(faults, seed))
        self._seen = dict(self.source.texts())
        served = _read(self.source, self._seen)
        check_faults(faults, served.tools)
        self._good = self._seen  # path → text, of the specs that are served
        self.warnings: tuple[Diagnostic, ...] = served.warnings
        self._tools = {each.definition["name"]: mock_tool(each, self._settings) for each in served.tools}
        self.toolkit = Toolkit(self._tools.values(), config=config)

    @property
    def tools(self) -> tuple[MockTool, ...]:
        """The tools, sorted by name."""
        return tuple(self._tools.values())

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
        tools = {each.definition["name"]: self._tool(each) for each in served.tools}
        before = self._tools
        self.toolkit.replace(tools.values())
        self._tools, self._good, self.warnings = tools, dict(texts), served.warnings
        return tuple(sorted(name for name in {**before, **tools} if before.get(name) is not tools.get(name)))

    def _last_good(self, texts: Mapping[str, bytes], errors: SpecErrors) -> dict[str, bytes]:
        """Return `texts` with the last good text of every spec that has errors; without new ones."""
        faulty = {each.span.file.removeprefix(self.source.prefix) for each in errors.diagnostics}
        good = {path: text for path, text in texts.items() if path not in faulty}
        good |= {path: self._good[path] for path in faulty if path in self._good}
        return dict(sorted(good.items()))

    def _tool(self, contract: MockContract) -> MockTool:
        """Return the tool of a contract; the existing one if its contract has not changed."""
        known = self._tools.get(contract.definition["name"])
        if known is not None and known.contract == contract:
            return known
        return mock_tool(contract, self._settings)


def _read(source: SpecSource, texts: Mapping[str, bytes]) -> ServedContracts:
    targets = load_targets(replace(source.project, targets=None))
    return read_contracts(texts, targets, source.prefix, coerce=source.project.coerce)
