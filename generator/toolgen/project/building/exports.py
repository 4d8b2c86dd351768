"""The tools of a project as one target publishes them, in the formats of `toolgen export`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from toolgen.base.suggestions import did_you_mean
from toolgen.compile.publishing.request_limits import published_entries
from toolgen.language.package import Tool
from toolgen.language.program import Program
from toolgen.language.targets.builtin import BUILT_IN
from toolgen.language.targets.definition import ExportFormat, Target
from toolgen.project import UnableError, load_targets
from toolgen.project.building.project_build import Inputs, package_of, program_of


@dataclass(frozen=True, slots=True)
class TargetTools:
    """The tools of a project as if it named one target."""

    target: str
    targets: tuple[Target, ...]  # this one, and the base
    format: ExportFormat | None  # None: a target of the project's own
    program: Program
    tools: tuple[Tool, ...]

    @property
    def document(self) -> Any:
        """Return the definitions as the adapter of a built-in target gives them, or as a plain list."""
        if self.format is None:
            return [entry for tool in self.tools for entry in published_entries(tool, self.target)]
        module, _, name = self.format.function.partition(":")
        definitions = {tool.wire_name: tool.definition for tool in self.tools}
        document = getattr(import_module(module), name)(definitions)
        return {self.format.key: document} if self.format.key else document


def export_formats() -> dict[str, tuple[str, ExportFormat]]:
    """Return the formats of the built-in targets with the names of their targets."""
    return {each.name: (name, each) for name, target in BUILT_IN.items() for each in target.exports}


def tools_of_format(inputs: Inputs, name: str, others: Iterable[str] = ()) -> TargetTools:
    """Return the tools in a format, or for a target of the project's own.

    Raises `UnableError` if there is neither, which suggests one of the `others`, too, and `SpecErrors`.
    """
    formats = export_formats()
    target, found = formats.get(name, (name, None))
    every = load_targets(replace(inputs.project, targets=None))
    forms = [form for form, (owner, _) in formats.items() if owner == name != form]
    if found is None and forms:
        raise UnableError("usage", f"{name} has {len(forms)} formats", f"use {' or '.join(forms)}")
    publishing = [each.name for each in every if each.tool_name]
    if target not in publishing:
        names = [*formats, *others, *(each for each in publishing if each not in BUILT_IN)]
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise UnableError("usage", f"there is no target {name!r}", hint)
    named = replace(inputs.project, targets=(target,))
    inputs = Inputs(named, inputs.specs, load_targets(named))
    program = program_of(inputs)
    return TargetTools(target, inputs.targets, found, program, package_of(program, inputs).tools)
