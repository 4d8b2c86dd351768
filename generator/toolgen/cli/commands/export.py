"""Print the tool definitions of one target as JSON; warn on stderr about what its dialect cannot express.

`toolgen export stubs`, `schema` and `evals` have a help of their own. Reads the specs; starts no server,
imports no SDK. TARGET is one of the formats below, or a target of the project's own, of which it prints a
list: name, description, input_schema and, where it is true, strict.
"""

from __future__ import annotations

import argparse

from toolgen.cli import diagnostics
from toolgen.cli.output import emit_json
from toolgen.cli.parser import SUBCOMMANDS
from toolgen.compile.publishing.request_limits import exceeded_request_limits, tool_summary
from toolgen.project.building.exports import export_formats, tools_of_format
from toolgen.project.building.project_build import read_inputs

_LOSSES = frozenset({"dialect-loss", "provider-limit"})


def arguments(parser: argparse.ArgumentParser) -> None:
    formats = export_formats()
    width = max(map(len, formats))
    rows = {name: found.help for name, (_, found) in formats.items()} | SUBCOMMANDS["export"]
    parser.description = f"{__doc__}\n" + "\n".join(
        f"{name:<{width}}  {about}" for name, about in rows.items()
    )
    parser.add_argument("target", metavar="TARGET", help=", ".join(rows))


def run(args: argparse.Namespace) -> bool:
    found = tools_of_format(read_inputs(args.start), args.target, SUBCOMMANDS["export"])
    codes = _LOSSES | (found.format.warnings if found.format else frozenset())
    warnings = [warning for warning in found.program.warnings if warning.code in codes]
    summaries = [tool_summary(tool, found.targets) for tool in found.tools]
    diagnostics.show([*warnings, *exceeded_request_limits(summaries, found.targets)], args.start)
    emit_json(found.document)
    return True
