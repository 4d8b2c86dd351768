"""List the tools that the specs describe, one per line: name, and first sentence of the description."""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import first_sentence
from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format
from toolgen.project.building.project_build import program_of, read_inputs


def arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    inputs = read_inputs(args.start)
    tools = program_of(inputs).tools
    if args.format == "json":
        data = [
            {"name": tool.spec.name, "description": tool.spec.description, "spec": tool.source.file}
            for tool in tools
        ]
        emit_json({"tools": data})
        return True
    width = min(max((len(tool.spec.name) for tool in tools), default=0), 40)
    for tool in tools:
        emit(f"{tool.spec.name:<{width}}  {first_sentence(tool.spec.description)}")
    return True
