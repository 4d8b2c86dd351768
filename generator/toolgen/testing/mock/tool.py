"""The tools of a mock toolkit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from math import fsum
from random import Random
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean
from toolgen.runtime.content.values import ToolResult
from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract.tool_contract import contract_of
from toolgen.runtime.definition.tool_definition import Fields, ToolDefinition
from toolgen.runtime.errors import RUNTIME_ERRORS, InvalidRequestError, ToolError
from toolgen.runtime.response import MOCK_KEY
from toolgen.runtime.tool import BaseTool
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.runtime.validation.json_value import whole_numbers
from toolgen.schema.document import value_key
from toolgen.testing.mock.made_up_answers import MadeUpAnswers
from toolgen.testing.requests import spelled_out
from toolgen.testing.tool_under_test import ExpectedCall


@dataclass(frozen=True, slots=True)
class MockContract:
    """The contract of one tool, as a mock serves it."""

    definition: ToolDefinition
    examples: tuple[ExpectedCall, ...]


RESERVED: Final = frozenset(error.code for error in RUNTIME_ERRORS)
MAX_LATENCY: Final = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class Faults:
    """Latency and errors of a mock. The same calls in the same order always get the same faults."""

    latency: float = 0.0  # seconds before each answer
    rates: Mapping[str, float] = field(default_factory=dict)  # code → share of the calls, from 0 to 1


@dataclass(frozen=True, slots=True)
class CallControls:
    """The options of one call for the mock, in its `_meta`."""

    fail: str | None = None  # the code of the error
    latency: float | None = None  # seconds
    example: str | None = None  # the name of the example that answers
    made_up: bool = False  # no example answers


def check_faults(faults: Faults, contracts: Iterable[MockContract]) -> None:
    """Raise ValueError for a code that no tool can answer with, or a value out of range."""
    if not 0 <= faults.latency <= MAX_LATENCY:
        raise ValueError(f"latency must be a number of seconds from 0 to {MAX_LATENCY:.0f}")
    declared = {error["code"] for each in contracts for error in each.definition.get("errors", ())}
    known = sorted(RESERVED | declared)
    for code, rate in faults.rates.items():
        if code not in known:
            hint = did_you_mean(code, known) or f"the codes are {', '.join(known)}"
            raise ValueError(f"no tool declares the error code {code!r}, and it is not reserved; {hint}")
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate of {code} must be a number from 0 to 1, not {rate}")
    if fsum(faults.rates.values()) > 1:
        raise ValueError("the rates of all codes together must not be more than 1")


class FaultDice:
    """Decides for all tools of a mock which calls fail: by the seed, and the calls before."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self.faults, self.seed = faults, seed
        self._random = Random(seed)

    def code(self, codes: Collection[str]) -> str | None:
        """Return the code of the error in which a call ends; None if it does not fail."""
        drawn = self._random.random()
        for code, rate in self.faults.rates.items():
            drawn -= rate
            if drawn < 0:
                return code if code in codes else None
        return None


_MAX_PREVIEW = 500  # characters of the answer in a preview


class MockTool(BaseTool[Any, Any]):
    """A tool that answers by the examples of its spec, and else with made-up values."""

    def __init__(self, contract: MockContract, dice: FaultDice) -> None:
        self.contract = contract
        self._dice = dice
        self._examples = _by_input(contract.examples)
        self._spelled_out = _by_input(
            replace(each, arguments=self._with_defaults(each.arguments)) for each in contract.examples
        )
        self._by_name = {each.name: each for each in reversed(contract.examples)}
        self._errors = {error.code: error for error in type(self).errors}

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Return the result of the example that matches, or a made-up one."""
        answer = await self._answer(request, context)
        return answer.as_result()

    async def preview(self, request: Any, context: ToolContext) -> Any:
        """Return a text that says what the mock will answer; the response if only a preview is wanted."""
        only_if = contract_of(type(self)).only_if
        if only_if is not None and only_if.is_false(request):
            return (await self._answer(request, context)).response
        controls = self._controls(context)
        example = self._example(request, controls)
        if example is not None and example.error is not None:
            return f"Preview of the mock: the call ends in the error {example.error}."
        answer = self._made(request, example)
        text = json.dumps(answer.response, ensure_ascii=False)
        shown = text if len(text) <= _MAX_PREVIEW else f"{text[:_MAX_PREVIEW]}…"
        return f"Preview of the mock: the answer will be {shown}"

    async def _answer(self, request: Any, context: ToolContext) -> _Answer:
        """Return the answer to a call. Raises the error of an example, and errors that are provoked."""
        controls = self._controls(context)
        latency = self._dice.faults.latency if controls.latency is None else controls.latency
        if latency:
            await asyncio.sleep(latency)
        code = controls.fail or self._dice.code(self._errors)
        if code is not None:
            context.metadata[MOCK_KEY] = {"provoked": code}
            raise self._errors[code]()
        example = self._example(request, controls)
        if example is not None:
            context.metadata[MOCK_KEY] = {"example": example.name}
            if example.error is not None:
                raise self._errors[example.error]()
        if example is None or not example.has_output:
            context.metadata[MOCK_KEY] = {"made_up": True}
        return self._made(request, example)

    def _made(self, request: Any, example: ExpectedCall | None) -> _Answer:
        """Return the result of an example, or a made-up one. Raises NoAnswerError."""
        seed = self._request_key(request)
        if example is not None and example.has_output:
            response = example.output
        elif self._has_only_content:
            response = None
        else:
            response = self._answers.response(request, seed)
        return _Answer(response, self._answers.content(), self._has_only_content)

    @cached_property
    def _answers(self) -> MadeUpAnswers:
        return MadeUpAnswers(self.contract.definition)

    @property
    def _has_only_content(self) -> bool:
        """True if a result has blocks and no response."""
        definition = self.contract.definition
        declared = definition.get("content")
        return "output_schema" not in definition and isinstance(declared, list) and bool(declared)

    @cached_property
    def _controls_schema(self) -> CompiledSchema:
        options = {
            "fail": {"enum": [None, *sorted(self._errors)]},
            "latency": {"type": ["number", "null"], "minimum": 0, "maximum": MAX_LATENCY},
            "example": {"enum": [None, *sorted(self._by_name)]},
            "made_up": {"type": "boolean"},
        }
        return compile_schema({"type": "object", "properties": options, "additionalProperties": False})

    def _controls(self, context: ToolContext) -> CallControls:
        """Return what a call asks for under `toolgen/mock` in its metadata. Raises InvalidRequestError."""
        given = context.meta.get(MOCK_KEY)
        if given is None:
            return CallControls()
        if faults := find_faults(self._controls_schema, given):
            text = "; ".join(f"{each.path}: {each.message}" for each in faults)
            raise InvalidRequestError(f"Invalid metadata of the call: {MOCK_KEY}: {text}.")
        return CallControls(**given)

    def _example(self, request: Any, controls: CallControls) -> ExpectedCall | None:
        if controls.example is not None:
            return self._by_name[controls.example]
        if controls.made_up:
            return None
        exact = self._examples.get(value_key(request))
        return exact or self._spelled_out.get(value_key(self._with_defaults(request)))

    def _with_defaults(self, request: Any) -> Any:
        return spelled_out(self.contract.definition["input_schema"], request)

    def _request_key(self, request: Any) -> str:
        """Return a digest of seed, tool and request."""
        text = json.dumps(whole_numbers(request), sort_keys=True, ensure_ascii=True)
        name = self.contract.definition["name"]
        return sha256(f"{self._dice.seed}\n{name}\n{text}".encode()).hexdigest()


class StreamingMockTool(MockTool):
    """A mock tool whose result is a stream."""

    async def execute(self, request: Any, context: ToolContext) -> AsyncIterator[Any]:  # type: ignore[override]
        """Yield the chunks, then the blocks, then the response if the tool has an output schema."""
        answer = await self._answer(request, context)
        has_response = self._answers.has_response
        is_made_up = context.metadata[MOCK_KEY].get("made_up", False)
        if has_response or is_made_up:
            chunks = self._answers.chunks(request, answer.response, self._request_key(request))
        else:  # an example's output is the list of chunks
            chunks = answer.response if isinstance(answer.response, list) else [answer.response]
        for chunk in chunks:
            yield chunk
            await asyncio.sleep(0)
        for block in answer.content:
            yield block
        if has_response:
            yield ToolResult(answer.response)  # marked: it may be valid as a chunk, too


@dataclass(frozen=True, slots=True)
class _Answer:
    """The result of a call."""

    response: Any
    content: list[Any]
    has_only_content: bool

    def as_result(self) -> Any:
        """Return what `execute` returns."""
        if self.has_only_content:
            return self.content
        return ToolResult(self.response, *self.content) if self.content else self.response


def mock_tool(contract: MockContract, dice: FaultDice) -> MockTool:
    """Return the mock tool of a contract, an instance of a class of its own, which may end in every code."""
    definition = contract.definition
    base = StreamingMockTool if "stream" in definition else MockTool
    declared = {each["code"]: _error_class(each) for each in definition.get("errors", ())}
    # in the class only: the runtime lets a tool end in any code that its class declares
    errors = tuple({**{error.code: error for error in RUNTIME_ERRORS}, **declared}.values())
    names = {"definition": definition, "errors": errors, "__doc__": base.__doc__}
    tool: MockTool = type(definition.get("class_name", base.__name__), (base,), names)(contract, dice)
    return tool


def _by_input(examples: Iterable[ExpectedCall]) -> Mapping[object, ExpectedCall]:
    """Return the examples by their inputs; of several with one input, the first one answers."""
    found: dict[object, ExpectedCall] = {}
    for example in examples:
        found.setdefault(value_key(example.arguments), example)
    return found


def _error_class(error: Fields) -> type[ToolError]:
    fields = {
        "code": error["code"],
        "description": error["description"],
        "retryable": error.get("retryable", False),
        "hint": error.get("hint", ""),
    }
    name = "".join(part.capitalize() for part in error["code"].split("_"))
    return type(f"{name}Error", (ToolError,), fields)
