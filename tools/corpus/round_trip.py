"""Check whether a generated tool accepts a value as request and as response, and returns it unchanged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from toolgen.runtime import BaseTool, ToolError
from toolgen.runtime.contract.result import BrokenContract, write_result
from toolgen.runtime.contract.tool_contract import ToolContract, contract_of
from toolgen.runtime.validation.json_value import whole_numbers

from tools.corpus.score import Score


@dataclass(frozen=True, slots=True)
class Passage:
    """How a value passed through a tool in one direction."""

    direction: str  # request, response or response model
    accepted: bool
    outcome: Any  # the returned value, or the reason of the refusal


def check_round_trip(
    score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str
) -> None:
    """Pass `value` in both directions through a tool whose input and output have the same schema."""
    check_request(score, tool, value, valid, where)
    check_response(score, tool, value, valid, where)


def check_request(score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str) -> None:
    """Record whether `tool` accepts `value` as arguments if and only if it is `valid`, unchanged."""
    if value is not None:  # that stands for no arguments
        _note(score, _request(tool, value), value, valid, where)


def check_response(score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str) -> None:
    """The same for its response: plain data and, if it is valid, an instance of the model."""
    if not valid and _has_null(value):
        return  # a response without the nulls that its schema refuses may be valid, and is sent
    contract = contract_of(tool)
    _note(score, _response(contract, value, value), value, valid, where)
    by_hand = whole_numbers(value)  # as an implementation writes it: 1e20 is not an `int`
    if (
        valid
        and contract.response_model is not None
        and contract.response_schema
        and contract.response_schema.is_valid(by_hand)
    ):
        try:
            made = contract.build_response(by_hand)
        except ValidationError as error:
            _note(score, Passage("response model", False, str(error)), value, valid, where)
        else:
            _note(score, _response(contract, made, value), value, valid, where)


def _note(score: Score, passage: Passage, value: Any, valid: bool, where: str) -> None:
    accepted, outcome = passage.accepted, passage.outcome
    place = f"{where}, {passage.direction}"
    if not valid:
        problem = f"accepted: {_short(value)}" if accepted else None
        score["invalid refused"].note(place, problem)
        return
    score["valid accepted"].note(place, None if accepted else f"{_short(value)}: {outcome}")
    if accepted:
        same = same_json(outcome, value)
        score["values unchanged"].note(place, None if same else f"{_short(value)} → {_short(outcome)}")


def _request(tool: type[BaseTool[Any, Any]], value: Any) -> Passage:
    try:
        request = tool.check_inputs(value)
    except ToolError as error:
        refused = error.code == "invalid_request"
        return Passage("request", False, str(error) if refused else f"refused with {error.code}")
    return Passage("request", True, request.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _response(contract: ToolContract, result: Any, value: Any) -> Passage:
    name = "response" if result is value else "response model"
    try:
        return Passage(name, True, json.loads(write_result(contract, result).text))
    except BrokenContract as error:
        return Passage(name, False, str(error))


def same_json(one: Any, other: Any) -> bool:
    """True if two values are equal as JSON: 1 equals 1.0, and true equals neither."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _has_null(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_has_null, inner))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
