"""Does a generated tool take a value, and hand it on as it came? Asked of its request and of its response."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError
from toolgen.runtime import BaseTool, ToolError
from toolgen.runtime.contract.result import BrokenContract, write_result
from toolgen.runtime.contract.tool_contract import ToolContract, contract_of
from toolgen.runtime.validation.json_value import whole_numbers

from tools.corpus.score import Score

Way = tuple[str, bool, Any]
"""How it came through; whether it was accepted; what is left of it, or why it was not."""


def carried(score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str) -> None:
    """`value` both ways through a tool that has one schema for its input and its output."""
    requested(score, tool, value, valid, where)
    responded(score, tool, value, valid, where)


def requested(score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str) -> None:
    """Note whether `tool` accepts `value` as arguments exactly if it is `valid`, and leaves it unchanged."""
    _note(score, _request(tool, value), value, valid, where)


def responded(score: Score, tool: type[BaseTool[Any, Any]], value: Any, valid: bool, where: str) -> None:
    """The same of its response: plain data, and, where it is valid, an instance of the model."""
    plan = contract_of(tool)
    _note(score, _response(plan, value, value), value, valid, where)
    by_hand = whole_numbers(value)  # as an implementation writes it: 1e20 is no `int`
    if (
        valid
        and plan.response_model is not None
        and plan.response_schema
        and plan.response_schema.is_valid(by_hand)
    ):
        try:
            made = plan.response_model.model_validate(by_hand)
        except ValidationError as error:
            _note(score, ("response model", False, str(error)), value, valid, where)
        else:
            _note(score, _response(plan, made, value), value, valid, where)


def _note(score: Score, way: Way, value: Any, valid: bool, where: str) -> None:
    name, accepted, left = way
    place = f"{where}, {name}"
    if not valid:
        problem = f"accepted: {_short(value)}" if accepted else None
        score["invalid refused"].note(place, problem)
        return
    score["valid accepted"].note(place, None if accepted else f"{_short(value)}: {left}")
    if accepted:
        same = same_json(left, value)
        score["values unchanged"].note(place, None if same else f"{_short(value)} → {_short(left)}")


def _request(tool: type[BaseTool[Any, Any]], value: Any) -> Way:
    try:
        request = tool.check_inputs(value)
    except ToolError as error:
        refused = error.code == "invalid_request"
        return "request", False, str(error) if refused else f"refused with {error.code}"
    return "request", True, request.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _response(plan: ToolContract, result: Any, value: Any) -> Way:
    name = "response" if result is value else "response model"
    try:
        return name, True, json.loads(write_result(plan, result).text)
    except BrokenContract as error:
        return name, False, str(error)


def same_json(one: Any, other: Any) -> bool:
    """Equal as JSON values: 1 is 1.0, and true is neither."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
