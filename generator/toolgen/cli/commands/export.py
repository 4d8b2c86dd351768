"""Print the tool definitions of one target as JSON; warn on stderr about what its dialect cannot express.

Reads the specs; starts no server, imports no SDK.

mcp                {"tools": [...]}, as `tools/list` returns it
mcp-legacy         the same for clients up to 2025-11-25: outputs are objects, references are inlined
openai-chat        [...], for Chat Completions
openai-responses   [...], for Responses
anthropic          [...], for Messages
gemini             [...], the tools of a request: one, with every function declaration
bedrock            {"tools": [...]}, the toolConfig of Converse
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from toolgen.cli.output import emit_json

if TYPE_CHECKING:
    from toolgen.runtime import ToolDefinition

_TARGETS = ("mcp", "mcp-legacy", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock")

_LOSSES = frozenset({"dialect-loss", "provider-limit"})
_REPORTED = dict.fromkeys(_TARGETS, _LOSSES) | {"mcp-legacy": _LOSSES | {"output-not-object"}}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", choices=_TARGETS, metavar="TARGET", help=", ".join(_TARGETS))


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli import diagnostics
    from toolgen.cli.building.project_build import Inputs, model_of, program_of, read_inputs
    from toolgen.compile.request_limits import exceeded_request_limits
    from toolgen.project import load_targets
    from toolgen.runtime.adapters import anthropic, bedrock, gemini, mcp, openai

    found = read_inputs(args.start)
    asked = replace(found.project, targets=(args.target.partition("-")[0],))
    inputs = Inputs(asked, found.specs, load_targets(asked))
    program = program_of(inputs)
    model = model_of(program, inputs)
    warnings = [warning for warning in program.warnings if warning.code in _REPORTED[args.target]]
    if warnings := [*warnings, *exceeded_request_limits(model.tools, inputs.targets)]:
        diagnostics.show(warnings, args.start, as_json=False)
    definitions = {tool.wire_name: cast("ToolDefinition", tool.definition) for tool in model.tools}
    match args.target:
        case "mcp":
            emit_json({"tools": mcp.mcp_tools(definitions)})
        case "mcp-legacy":
            emit_json({"tools": mcp.legacy_tools(definitions)})
        case "openai-chat":
            emit_json(openai.chat_tools(definitions))
        case "openai-responses":
            emit_json(openai.responses_tools(definitions))
        case "anthropic":
            emit_json(anthropic.anthropic_tools(definitions))
        case "gemini":
            emit_json(gemini.gemini_tools(definitions))
        case "bedrock":
            emit_json(bedrock.tool_config(definitions))
    return True
