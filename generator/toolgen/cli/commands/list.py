"""List the tools that the specs describe, one per line: name, and first sentence of the description."""

from __future__ import annotations

import argparse
import re

from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format
from toolgen.suggestions import shortened

_SENTENCE = re.compile(r"(?s).{1,400}?[.!?](?=\s|$)")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    from toolgen.building.project_build import program_of, read_inputs

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
        emit(f"{tool.spec.name:<{width}}  {_first_sentence(tool.spec.description)}")
    return True


def _first_sentence(text: str) -> str:
    found = _SENTENCE.match(text.strip()[:500])
    return shortened(" ".join((found[0] if found else text[:500]).split()), 100)
