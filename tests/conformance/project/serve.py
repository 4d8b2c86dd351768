"""Serve the fixture tools: an application with a toolkit of its own.

The spec language knows one question to the user, the confirmation. Scenarios with other input (values,
sampling, roots) call tools that are added here, and a middleware of the SDK asks for their input, behind the
server's own sealing of state.
"""

from __future__ import annotations

import sys
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from toolgen.runtime import BaseTool, ToolContext, Toolkit, ToolSpec
from toolgen.serving.command import main

from generated import catalog, mcp_server

Round = dict[str, dict[str, Any]]  # input requests by key


def form(message: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """Return an elicitation of `properties`."""
    schema = {"type": "object", "properties": properties}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(text: str) -> dict[str, Any]:
    """Return a request for a completion."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


TEXT = {"type": "string"}
ROOTS = {"method": "roots/list", "params": {}}
NAME = form("What is your name?", name=TEXT)
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]

ROUNDS: dict[str, list[Round]] = {
    "test_input_required_result_elicitation": [{"user_name": NAME}],
    "test_input_required_result_sampling": [{"capital_question": sampling("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME, "greeting": sampling("Generate a greeting"), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [
        {"step1": form("Step 1: What is your name?", name=TEXT)},
        {"step2": form("Step 2: What is your favorite color?", color=TEXT)},
    ],
    "test_input_required_result_capabilities": [{"question": sampling("What is the capital of France?")}],
}
FORMS: dict[str, dict[str, Any]] = {
    "test_elicitation_sep1034_defaults": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
    "test_elicitation_sep1330_enums": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}
MISSING_CAPABILITY = "test_missing_capability"


class Answering(BaseTool[dict[str, Any], str]):
    """A tool that answers once its input is there."""

    def execute(self, request: dict[str, Any], context: ToolContext) -> str:
        return f"{context.tool_name} has its input."


def toolkit() -> Toolkit:
    """Return the fixture tools. The toolkit itself is injected into those that ask for it."""
    context: dict[str, object] = {}
    made = catalog.toolkit(context=context)
    context["toolkit"] = made
    for name in (*ROUNDS, *FORMS, MISSING_CAPABILITY):
        spec = ToolSpec(name=name, description="The conformance suite calls it by this name.")
        made.add(type(f"{name}_tool", (Answering,), {"spec": spec})())
    return made


async def ask_for_input(context: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Ask for the input of the tools that are not generated, then let the call go on."""
    params = context.params or {}
    name = params.get("name") if context.method == "tools/call" else None
    modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    if name == MISSING_CAPABILITY:
        _require_sampling(context)
    if name in ROUNDS and modern and (round_ := _next_round(name, params)) is not None:
        number, requests = round_
        return {"resultType": "input_required", "inputRequests": requests, "requestState": str(number)}
    if name in FORMS and not modern:
        schema = {"type": "object", "properties": FORMS[name]}
        await context.session.elicit_form("Please fill in.", schema, context.request_id)
    return await call_next(context)


def _next_round(name: str, params: Any) -> tuple[int, Round] | None:
    """Return the round to ask for, or None where all input is there."""
    rounds, answers = ROUNDS[name], params.get("inputResponses") or {}
    number = int(params.get("requestState") or 0)
    if rounds[number].keys() <= answers.keys():
        number += 1
    return (number, rounds[number]) if number < len(rounds) else None


def _require_sampling(context: ServerRequestContext[Any, Any]) -> None:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs the capability sampling.",
            data={"requiredCapabilities": {"sampling": {}}},
        )


def build_server() -> Server[Any]:
    """Build the generated server, with the middleware that asks for input."""
    server = mcp_server.build_server(toolkit())
    server.middleware.append(ask_for_input)
    return server


if __name__ == "__main__":
    sys.exit(main(build_server))
