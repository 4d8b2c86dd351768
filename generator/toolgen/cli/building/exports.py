"""Definitions of tools in the formats of providers, as `toolgen export` prints them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.cli.building.project_build import Inputs
    from toolgen.data.package import Tool
    from toolgen.targets.definition import ExportFormat


def export_formats() -> dict[str, tuple[str, ExportFormat]]:
    """Return the formats of the built-in targets with the names of their targets."""
    from toolgen.targets.builtin import BUILT_IN

    return {each.name: (name, each) for name, target in BUILT_IN.items() for each in target.exports}


def for_target(inputs: Inputs, target: str) -> Inputs:
    """Return the inputs as if the project named this one target, which must exist."""
    from toolgen.cli.building.project_build import Inputs
    from toolgen.project import load_targets

    named = replace(inputs.project, targets=(target,))
    return Inputs(named, inputs.specs, load_targets(named))


def document(found: ExportFormat, tools: Iterable[Tool]) -> Any:
    """Return the definitions as the adapter of a built-in target gives them."""
    module, _, name = found.function.partition(":")
    definitions = getattr(import_module(module), name)({tool.wire_name: tool.definition for tool in tools})
    return {found.key: definitions} if found.key else definitions
