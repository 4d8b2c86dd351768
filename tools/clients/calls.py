"""Calls through clients of a corpus: answered as raw calls are, and never with an invalid result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from pydantic import BaseModel
from toolgen.client import ToolClient, ToolResult
from toolgen.compile.printing.client_source import ClientMethod
from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime.errors import InvalidResponseError
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.schema.document import Schema
from toolgen.serving import build_server
from toolgen.testing import mock_toolkit

from tools.corpus.refused_values import refused_values
from tools.corpus.round_trip import same_json
from tools.corpus.score import Tally

from .generated import CorpusClient

_SEEDS = 10


@dataclass(slots=True)
class CallScore:
    """What came of the calls of all clients."""

    equal: Tally = field(default_factory=Tally)  # answers through the client and raw ones
    parsed: Tally = field(default_factory=Tally)  # valid results
    refused: Tally = field(default_factory=Tally)  # invalid results


async def compare_with_raw_calls(made: CorpusClient, score: CallScore, number: int) -> None:
    """Call each tool of the mock by its method and raw, `number` times, with valid arguments."""
    server = build_server(mock_toolkit(made.specs), name=made.server)
    async with _client_class(made).connect(server) as client:
        for method in made.plan.compiled.methods:
            for arguments in _requests(made, method, number):
                raw = await client.session.call_tool(method.listed_name, arguments)
                answer = await _call(client, method, arguments)
                problem = (
                    None if same_json(answer, _raw_answer(raw)) else f"{answer!r:.100} is not {raw!r:.100}"
                )
                score.equal.note(f"{made.server}: {method.name}", problem)


async def try_results(made: CorpusClient, score: CallScore, number: int) -> None:
    """Let a server answer each tool with `number` valid results, and with as many that it must not send."""
    listed = [types.Tool.model_validate(tool, by_name=False) for tool in made.plan.compiled.listed]
    answer: dict[str, Any] = {}

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[], structured_content=answer["result"])

    server = Server(made.server, on_list_tools=list_tools, on_call_tool=call_tool)
    async with _client_class(made).connect(server, on_drift="ignore") as client:
        for method in made.plan.compiled.methods:
            schema = method.tool.output_schema
            request = next(_requests(made, method, 1), None)
            if schema is None or request is None:
                continue
            where = f"{made.server}: {method.name}"
            for value in InstanceGenerator(schema).valid_values(seed=method.name, count=number):
                answer["result"] = value
                found = await _outcome(client, method, request)
                score.parsed.note(
                    where, None if same_json(found, value) else f"{value!r:.200}: {found!r:.200}"
                )
            for value in islice(_invalid_results(schema, method.name, number), number):
                answer["result"] = value
                found = await _outcome(client, method, request)
                is_refused = isinstance(found, InvalidResponseError)
                score.refused.note(where, None if is_refused else f"{value!r:.200}: {found!r:.200}")


def _invalid_results(schema: Schema, name: str, number: int) -> Iterator[dict[str, Any]]:
    """Yield objects that a schema refuses, of several seeds: one seed has few for a small schema."""
    generator = InstanceGenerator(schema)
    for seed in range(_SEEDS):
        for value in refused_values(generator, seed=f"{name} {seed}", count=number):
            if isinstance(value, dict):  # MCP has no other results
                yield value


def _requests(made: CorpusClient, method: ClientMethod, number: int) -> Iterator[Mapping[str, Any]]:
    """Yield up to `number` valid requests, known ones first, of the arguments that the method has."""
    schema = compile_schema(method.tool.input_schema)
    names = {each.wire_name for each in method.parameters}
    known = made.calls.get(method.tool.wire_name, ())
    found: Iterator[Mapping[str, Any]] = chain(
        known, InstanceGenerator(method.tool.input_schema).valid_values(seed=method.name, count=number)
    )
    if not method.takes_anything:
        found = ({name: value for name, value in each.items() if name in names} for each in found)
    yield from islice((each for each in found if schema.accepts(each)), number)


def _client_class(made: CorpusClient) -> type[ToolClient]:
    module = import_module(f"{made.package}.client")
    found: type[ToolClient] = getattr(module, module.__all__[0])
    return found


async def _outcome(client: ToolClient, method: ClientMethod, arguments: Mapping[str, Any]) -> Any:
    try:
        return await _call(client, method, arguments)
    except Exception as error:  # whatever it is, it is counted
        return error


async def _call(client: ToolClient, method: ClientMethod, arguments: Mapping[str, Any]) -> Any:
    """Return the JSON of a response."""
    names = {each.wire_name: each.name for each in method.parameters}
    given = {names.get(name, name): value for name, value in arguments.items()}
    found = await getattr(client, method.name)(**given)
    response = found.response if isinstance(found, ToolResult) else found
    if isinstance(response, BaseModel):
        return response.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return response


def _raw_answer(result: Any) -> Any:
    """Return what a result says, read without the contract."""
    if result.is_error:
        return result
    if result.structured_content is not None:
        return result.structured_content
    text = "".join(each.text for each in result.content)
    try:
        return json.loads(text)
    except ValueError:
        return text
