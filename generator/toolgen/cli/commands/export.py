"""Print the tool definitions of one target as JSON; warn on stderr about what its dialect cannot express.

Reads the specs; starts no server, imports no SDK. TARGET is one of the formats below, or a target of the
project's own, of which it prints a list: name, description, input_schema and, where it is true, strict.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.cli.building.exports import document, export_formats, for_target
from toolgen.cli.output import emit_json

if TYPE_CHECKING:
    from toolgen.cli.building.project_build import Inputs
    from toolgen.data.package import Tool

_LOSSES = frozenset({"dialect-loss", "provider-limit"})


def arguments(parser: argparse.ArgumentParser) -> None:
    formats = export_formats()
    width = max(map(len, formats))
    parser.description = f"{__doc__}\n" + "\n".join(
        f"{name:<{width}}  {found.help}" for name, (_, found) in formats.items()
    )
    parser.add_argument("target", metavar="TARGET", help=", ".join(formats))


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli import diagnostics
    from toolgen.cli.building.project_build import package_of, program_of
    from toolgen.compile.publishing.request_limits import exceeded_request_limits, tool_summary

    target, found = export_formats().get(args.target, (args.target, None))
    inputs = _inputs(args, target)
    program = program_of(inputs)
    tools = package_of(program, inputs).tools
    codes = _LOSSES | (found.warnings if found else frozenset())
    warnings = [warning for warning in program.warnings if warning.code in codes]
    summaries = [tool_summary(tool, inputs.targets) for tool in tools]
    if warnings := [*warnings, *exceeded_request_limits(summaries, inputs.targets)]:
        diagnostics.show(warnings, args.start, as_json=False)
    emit_json(document(found, tools) if found else _plain(target, tools))
    return True


def _inputs(args: argparse.Namespace, target: str) -> Inputs:
    """Read the project as if it named this one target. Raises `UnableError` for an unknown target."""
    from toolgen.cli.building.project_build import read_inputs
    from toolgen.project import UnableError, load_targets
    from toolgen.suggestions import did_you_mean
    from toolgen.targets.builtin import BUILT_IN

    inputs = read_inputs(args.start)
    publishing = [each.name for each in load_targets(replace(inputs.project, targets=None)) if each.tool_name]
    if target not in publishing:
        names = [*export_formats(), *(name for name in publishing if name not in BUILT_IN)]
        hint = did_you_mean(args.target, names) or f"there are {', '.join(names)}"
        raise UnableError("usage", f"there is no target {args.target!r}", hint)
    return for_target(inputs, target)


def _plain(target: str, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the definitions of a project's own target."""
    published = [(tool, tool.published[target]) for tool in tools]
    return [
        {
            "name": each.name,
            "description": tool.description,
            "input_schema": each.input_schema,
            **({"strict": True} if each.strict else {}),
        }
        for tool, each in published
    ]
