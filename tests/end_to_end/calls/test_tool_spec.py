"""`ToolSpec`: tools written in Python without a spec file, validated when they are defined."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator
from toolgen.runtime import (
    BaseTool,
    ToolContext,
    ToolDefinition,
    ToolError,
    Toolkit,
    ToolParam,
    ToolReturn,
    ToolSpec,
    ToolSpecError,
)
from toolgen.serving import build_server

from tests.end_to_end.project import text_of
from tests.runtime.tool_factory import EchoBySpec


class GreetRequest(BaseModel):
    name: str = Field(description="Whom to greet.", min_length=1)
    times: int = 1

    @field_validator("name")
    @classmethod
    def _no_robots(cls, name: str) -> str:
        if name == "robot":
            raise ValueError("robots are not greeted")
        return name


class GreetResponse(BaseModel):
    text: str
    warnings: list[str] = []


class NobodyError(ToolError):
    code = "nobody"
    description = "There is nobody of that name."
    hint = "Try Ada."


class Greet(BaseTool[GreetRequest, GreetResponse]):
    spec = ToolSpec.from_models(
        GreetRequest, GreetResponse, name="greet", description="Greet a person.", errors=[NobodyError]
    )

    async def execute(self, request: GreetRequest, context: ToolContext) -> GreetResponse:
        if request.name == "Nobody":
            raise NobodyError
        return GreetResponse(text=" ".join([f"Hello, {request.name}!"] * request.times))


def call(tool: BaseTool[Any, Any], arguments: Any, **options: Any) -> Any:
    return asyncio.run(Toolkit([tool], **options).call(str(tool.name), arguments))


def test_a_deprecated_tool_spec_reaches_the_definition_and_the_callers() -> None:
    deprecated: Any = {"since": "2.0.0", "replaced_by": "say"}

    class Old(BaseTool[dict[str, Any], str]):
        spec = ToolSpec(name="old", description="Echo a text.", deprecated=deprecated)

        def execute(self, request: dict[str, Any], context: ToolContext) -> str:
            return "a"

    assert Old.definition["deprecated"] == deprecated
    assert Old.description == "Deprecated since 2.0.0; use say instead.\n\nEcho a text."
    assert call(Old(), {}).metadata["deprecated"] == deprecated


def test_inputs_of_a_hand_written_tool_are_validated() -> None:
    assert (
        EchoBySpec.check_inputs({"text": "a"}) == EchoBySpec.spec.check_inputs({"text": "a"}) == {"text": "a"}
    )
    for check in (EchoBySpec.check_inputs, EchoBySpec.spec.check_inputs):
        with pytest.raises(ToolError, match=r"\$\.text") as caught:
            check({"txt": "a"})
        assert caught.value.code == "invalid_request"
    refused = call(EchoBySpec(), {"text": 7, "colour": "red"})
    assert refused.error.code == "invalid_request"
    assert "colour" in refused.error.message


def test_schemas_come_from_pydantic_models() -> None:
    assert Greet.definition["input_schema"] == GreetRequest.model_json_schema()
    declared = call(Greet(), {"name": "Nobody"}).error
    assert (declared.code, declared.hint) == ("nobody", "Try Ada.")


def test_a_request_refused_by_a_model_validator_is_an_invalid_request() -> None:
    error = call(Greet(), {"name": "robot"}).error
    assert error.code == "invalid_request"
    assert "- $.name: Value error, robots are not greeted" in error.message


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_hand_written_tool_is_served_like_any_other(era: Any) -> None:
    from mcp import Client

    server = build_server(Toolkit([EchoBySpec(), Greet()]), name="hand")
    async with Client(server, mode=era) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed["echo"].input_schema == EchoBySpec.definition["input_schema"]
        found = await client.call_tool("greet", {"name": "Ada"})
    assert json.loads(text_of(found)) == {"text": "Hello, Ada!"}


GOOD: dict[str, Any] = {"name": "x", "description": "X.", "input_schema": {"type": "object"}}


def test_a_hand_written_definition_is_validated_when_its_class_is_defined() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "text"}}}
    with pytest.raises(
        ValueError, match=r"is not valid:\n- input_schema.properties.a.type: unknown type 'text'"
    ):
        type("X", (BaseTool,), {"definition": {**GOOD, "input_schema": schema}, "execute": lambda *_: None})


def test_a_definition_that_is_set_later_is_validated_by_the_toolkit() -> None:
    class Late(BaseTool[Any, Any]):
        definition: ToolDefinition  # type: ignore[misc]

        def execute(self, request: Any, context: ToolContext) -> None: ...

    with pytest.raises(TypeError, match=r"has no definition: set spec = ToolSpec"):
        Toolkit([Late()])
    Late.definition = {"name": "late"}  # type: ignore[typeddict-item]
    with pytest.raises(ValueError, match="the field 'description' is missing"):
        Toolkit([Late()])
    Late.definition = GOOD  # type: ignore[assignment]
    assert call(Late(), {}).success


def test_every_fault_of_a_spec_is_reported_at_once() -> None:
    with pytest.raises(ValueError, match="the ToolSpec of 'two words' is not valid") as caught:
        ToolSpec(
            name="two words",
            description="",
            inputs=[ToolParam("a", "string"), ToolParam("a", "text")],
            returns=ToolReturn("integr"),
            timeout=-1,
            deprecated={"since": 2},
        )
    message = str(caught.value)
    for fault in (
        "- 'two words' is not a tool's name",
        "- 'description' is empty",
        "- input_schema.properties.a.type: unknown type 'text'",
        "- inputs: the parameter 'a' is given twice",
        "- output_schema.type: unknown type 'integr'; did you mean 'integer'?",
        "- 'timeout' must be more than 0",
        "- deprecated.since: 'since' must be text, not a number",
    ):
        assert fault in message


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"returns": 5}, "returns: expected a ToolReturn or text, got int"),
        ({"inputs": ToolParam("a", "string")}, "inputs: expected a list, got ToolParam"),
        (
            {"inputs": [ToolParam("a", "string", required="yes")]},
            "required: expected True or False, got 'yes'",
        ),
        ({"errors": (ValueError,)}, "errors: expected a subclass of ToolError, got <class 'ValueError'>"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_field_of_the_wrong_type_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec(**{"name": "x", "description": "X.", **fields})
    assert says in str(caught.value)


def test_a_stream_whose_result_has_a_model_or_a_schema_of_its_own_is_accepted() -> None:
    chunks = {"chunk_schema": {"type": "object"}}
    assert ToolSpec.from_models(GreetRequest, GreetResponse, name="x", description="X.", **chunks)
    lines = ToolReturn("array", "All lines.")
    assert ToolSpec(name="x", description="X.", returns=lines, chunk_schema={"type": "string"})
    assert ToolSpec(name="x", description="X.", returns="All lines.", chunk_schema={"type": "string"})
