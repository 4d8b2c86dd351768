"""`ToolSpec`: tools written in Python without a spec file, validated when they are defined."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
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
from toolgen.runtime.adapters.openai import chat_tools, execute_tool_call
from toolgen.serving import build_server

from tests.end_to_end.project import text_of


class EchoTool(BaseTool[dict[str, Any], str]):
    """A minimal tool."""

    spec = ToolSpec(
        name="echo",
        description="Echoes the input string back to the caller.",
        when_to_use="When you need to return the same text verbatim.",
        inputs=[ToolParam(name="text", type="string", description="Text to echo", required=True)],
        returns=ToolReturn(type="string", description="The echoed text"),
        final_answer=True,
    )

    def execute(self, request: dict[str, Any], context: ToolContext) -> str:
        return str(request["text"])


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


class SQLQueryTool(BaseTool[dict[str, Any], dict[str, Any]]):
    """A tool that uses an injected value."""

    spec = ToolSpec(
        name="sql_query",
        description="Execute a SQL query and return rows as JSON.",
        inputs=[
            ToolParam("query", "string", "The SQL query to run"),
            ToolParam("limit", "integer", "Max rows to return", required=False, schema={"minimum": 1}),
        ],
        returns=ToolReturn("object", "Query results as a JSON object"),
        inject=["db_engine"],
    )

    def execute(self, request: dict[str, Any], context: ToolContext, *, db_engine: Any) -> dict[str, Any]:
        return {"rows": db_engine[: request.get("limit", 100)]}


class StreamLinesTool(BaseTool[dict[str, Any], Any]):
    spec = ToolSpec(
        name="stream_lines",
        description="Stream lines back to the caller (demo).",
        inputs=[ToolParam("lines", "array", "List of lines to stream")],
        chunk_schema={"type": "string"},
    )

    def execute(self, request: dict[str, Any], context: ToolContext) -> Iterator[str]:
        yield from request["lines"]


def call(tool: BaseTool[Any, Any], arguments: Any, **options: Any) -> Any:
    return asyncio.run(Toolkit([tool], **options).call(str(tool.name), arguments))


def test_a_hand_written_tool_works_in_a_toolkit() -> None:
    response = call(EchoTool(), {"text": "a"})
    assert (response.content, response.final_answer) == ("a", True)


def test_the_definition_is_created_from_the_tool_spec() -> None:
    assert EchoTool.definition["description"] == (
        "Echoes the input string back to the caller.\n\n"
        "Use when: When you need to return the same text verbatim.\n\nReturns: The echoed text"
    )
    assert EchoTool.definition["input_schema"] == {
        "type": "object",
        "additionalProperties": False,
        "required": ["text"],
        "properties": {"text": {"type": "string", "description": "Text to echo"}},
    }
    assert EchoTool.definition["output_schema"] == {"type": "string", "description": "The echoed text"}


def test_a_deprecated_tool_spec_reaches_the_definition_and_the_callers() -> None:
    deprecated: Any = {"since": "2.0.0", "replaced_by": "say"}

    class Old(BaseTool[dict[str, Any], str]):
        spec = ToolSpec(name="old", description="Echo a text.", deprecated=deprecated)

        def execute(self, request: dict[str, Any], context: ToolContext) -> str:
            return "a"

    assert Old.definition["deprecated"] == deprecated
    assert Old.description == "Deprecated since 2.0.0; use say instead.\n\nEcho a text."
    assert call(Old(), {}).metadata["deprecated"] == deprecated


def test_empty_texts_are_left_out() -> None:
    spec = ToolSpec(name="x", description="X.", when_to_use="", avoid_when="", returns=ToolReturn("string"))
    assert spec.definition["description"] == "X."
    assert not {"use_when", "avoid_when", "returns"} & spec.definition.keys()


def test_inputs_of_a_hand_written_tool_are_validated() -> None:
    assert EchoTool.check_inputs({"text": "a"}) == EchoTool.spec.check_inputs({"text": "a"}) == {"text": "a"}
    for check in (EchoTool.check_inputs, EchoTool.spec.check_inputs):
        with pytest.raises(ToolError, match=r"\$\.text") as caught:
            check({"txt": "a"})
        assert caught.value.code == "invalid_request"
    refused = call(EchoTool(), {"text": 7, "colour": "red"})
    assert refused.error.code == "invalid_request"
    assert "colour" in refused.error.message


def test_schemas_come_from_pydantic_models() -> None:
    assert Greet.definition["input_schema"] == GreetRequest.model_json_schema()
    assert call(Greet(), {"name": "Ada", "times": 2}).content == {"text": "Hello, Ada! Hello, Ada!"}
    assert call(Greet(), {"name": ""}).error.code == "invalid_request"
    declared = call(Greet(), {"name": "Nobody"}).error
    assert (declared.code, declared.hint) == ("nobody", "Try Ada.")


def test_a_request_refused_by_a_model_validator_is_an_invalid_request() -> None:
    error = call(Greet(), {"name": "robot"}).error
    assert error.code == "invalid_request"
    assert "- $.name: Value error, robots are not greeted" in error.message


def test_runtime_context_is_injected_and_fails_soft() -> None:
    with_context = call(SQLQueryTool(), {"query": "q", "limit": 1}, context={"db_engine": [{"a": 1}, {}]})
    assert with_context.content == {"rows": [{"a": 1}]}
    assert call(SQLQueryTool(), {"query": "q"}).error.code == "missing_dependency"


def test_a_hand_written_tool_streams() -> None:
    async def gather() -> list[Any]:
        stream = Toolkit([StreamLinesTool()]).stream("stream_lines", {"lines": ["a", "b"]})
        return [item async for item in stream]

    *chunks, response = asyncio.run(gather())
    assert chunks == response.content == ["a", "b"]


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_hand_written_tool_is_served_like_any_other(era: Any) -> None:
    from mcp import Client

    async def run() -> Any:
        server = build_server(Toolkit([EchoTool(), Greet()]), name="hand")
        async with Client(server, mode=era) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed["echo"].input_schema == EchoTool.definition["input_schema"]
            return await client.call_tool("greet", {"name": "Ada"})

    assert json.loads(text_of(asyncio.run(run()))) == {"text": "Hello, Ada!"}


def test_a_hand_written_tool_answers_openai() -> None:
    toolkit = Toolkit([EchoTool()])
    (tool,) = chat_tools(toolkit.definitions)
    assert tool["function"]["name"] == "echo"
    function = {"name": "echo", "arguments": '{"text": "a"}'}
    message = asyncio.run(execute_tool_call({"id": "1", "type": "function", "function": function}, toolkit))
    assert message["content"] == "a"


GOOD: dict[str, Any] = {"name": "x", "description": "X.", "input_schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "re name"}, "'re name' is not a tool's name; write 're_name'; letters, digits"),
        ({"description": ""}, "'description' is empty"),
        ({"input_schema": {"type": "objct"}}, "did you mean 'object'?"),
        (
            {"input_schema": {"type": "object", "properties": {"a": {"type": "text"}}}},
            "input_schema.properties.a.type: unknown type 'text'",
        ),
        (
            {"input_schema": {"type": "object", "required": "a"}},
            "input_schema.required: invalid JSON Schema at 'required'",
        ),
        ({"input_schema": {"type": "array"}}, "type: object"),
        (
            {"output_schema": {"$ref": "https://example.com/a"}},
            "output_schema.$ref: 'https://example.com/a' names another document",
        ),
        ({"inject": [{"name": "class"}]}, "inject[0].name: 'class' is a keyword of Python; rename it"),
        ({"inject": [{"name": "a"}, {"name": "a"}]}, "inject[1].name: the injected name 'a' is used twice"),
        ({"inject": [{"name": "request"}]}, "'request' is another argument of `execute`"),
        ({"group": "two words"}, "'two words' is not a group; write 'two_words'; letters, digits"),
        ({"load": "late"}, "'load' must be 'always' or 'deferred', not 'late'"),
        (
            {"timeout": "30s"},
            "'timeout' must be a number, not text; write the number of seconds: `timeout: 30`",
        ),
        ({"confirm": {"mesage": "?"}}, "did you mean 'message'?"),
        ({"errors": [{"code": "Bad", "description": "B."}]}, "errors[0].code: 'Bad' is not an error's code"),
        ({"aliases": ["x"]}, "aliases[0]: the alias 'x' is used twice"),
        ({"use_when": ""}, "'use_when' is empty"),
        ({"deprecated": {"sinc": "2"}}, "did you mean 'since'?"),
        ({"deprecated": {"since": 2}}, "deprecated.since: 'since' must be text, not a number"),
        (
            {"deprecated": {"sunset": "2027-02-30"}},
            "deprecated.sunset: '2027-02-30' is not a date; write it as 2027-01-31",
        ),
        ({"descripton": "X."}, "remove it: 'description' is there as well"),
        (
            {"examples": [{"name": "a", "input": []}]},
            "examples[0].input: 'input' must be a mapping, not a list",
        ),
        (
            {"output_schema": {"type": "string"}, "examples": [{"name": "a", "input": {}, "output": 1}]},
            "examples[0].output: the example does not match output_schema: 1 is not of type",
        ),
    ],
    ids=str,
)
def test_a_hand_written_definition_is_validated_when_its_class_is_defined(change: Any, says: str) -> None:
    with pytest.raises(ValueError, match="is not valid:\n- ") as caught:
        type("X", (BaseTool,), {"definition": {**GOOD, **change}, "execute": lambda *_: None})
    assert says in str(caught.value)


def test_a_definition_without_a_name_is_reported() -> None:
    with pytest.raises(ValueError, match="the field 'name' is missing"):

        class Nameless(BaseTool[Any, Any]):
            definition = {"description": "X.", "input_schema": {"type": "object"}}  # type: ignore[assignment]  # noqa: RUF012

            def execute(self, request: Any, context: ToolContext) -> None: ...


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
            inputs=[ToolParam("a", "text"), ToolParam("a", "string")],
            returns=ToolReturn("integr"),
            timeout=-1,
            deprecated={"since": 2},  # type: ignore[typeddict-item]
        )
    message = str(caught.value)
    for fault in (
        "- 'two words' is not a tool's name",
        "- 'description' is empty",
        "- inputs: the parameter 'a': unknown type 'text'",
        "- inputs: the parameter 'a' is given twice",
        "- returns: unknown type 'integr'; did you mean 'integer'?",
        "- 'timeout' must be more than 0",
        "- deprecated.since: 'since' must be text, not a number",
    ):
        assert fault in message


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"description": " "}, "'description' is empty"),
        ({"when_to_use": " "}, "'when_to_use' is empty; write it, or leave the field out"),
        ({"avoid_when": 5}, "avoid_when: expected text, got int"),
        ({"returns": 5}, "returns: expected a ToolReturn or text, got int"),
        ({"returns": ToolReturn("string", "\n")}, "'returns' is empty"),
        ({"returns": ToolReturn(5)}, "returns: type: expected text, got int"),  # type: ignore[arg-type]
        ({"inputs": ToolParam("a", "string")}, "inputs: expected a list, got ToolParam"),
        ({"inputs": "ab"}, "inputs: expected a list, got str"),
        (
            {"inputs": [ToolParam("a", "string", required="yes")]},
            "required: expected True or False, got 'yes'",
        ),  # type: ignore[arg-type]
        ({"inputs": [ToolParam("a", "string", 5)]}, "'a': description: expected text, got int"),  # type: ignore[arg-type]
        ({"inputs": [ToolParam("a", "string", schema=[])]}, "'a': schema: expected a mapping, got list"),  # type: ignore[arg-type]
        ({"errors": (ValueError,)}, "errors: expected a subclass of ToolError, got <class 'ValueError'>"),
        ({"errors": NobodyError}, "errors: expected a list, got type"),
        ({"inject": "db"}, "inject: expected a list, got str"),
        ({"inject": [5]}, "inject[0]: each of 'inject' must be a mapping, not a number"),
        ({"tags": "shop"}, "'tags' must be a list, not text"),
        ({"aliases": "y"}, "'aliases' must be a list, not text"),
        ({"examples": {}}, "'examples' must be a list, not a mapping"),
        ({"content": [{"type": "image", "media_types": 5}]}, "'media_types' must be a list, not a number"),
        ({"final_answer": "yes"}, "'final_answer' must be true or false, not text"),
        ({"coerce": 1.5}, "'coerce' must be true or false, not a number"),
        ({"deprecated": "2.0"}, "'deprecated' must be a mapping, not text"),
        ({"request_model": GreetRequest(name="Ada")}, "request_model: expected a pydantic model, got Greet"),
        ({"response_model": dict}, "response_model: expected a pydantic model, got <class 'dict'>"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_field_of_the_wrong_type_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec(**{"name": "x", "description": "X.", **fields})
    assert says in str(caught.value)


def test_a_spec_of_another_type_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="spec must be a ToolSpec, not dict"):
        type("X", (BaseTool,), {"spec": GOOD, "execute": lambda *_: None})


def test_generated_code_does_not_import_the_validation_of_definitions() -> None:
    code = "import sys, generated.tools.echo; sys.exit('toolgen.runtime.tool_spec' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


STREAMED: list[tuple[dict[str, Any], str]] = [
    ({"returns": ToolReturn("number"), "chunk_schema": {"type": "integer"}}, "0"),
    ({"output_schema": {"enum": ["a"]}, "chunk_schema": {"type": "string"}}, "'a'"),
    ({"output_schema": {"type": "number"}, "chunk_schema": {"type": "integer"}}, "0"),
    ({"output_schema": {"type": "object"}, "chunk_schema": {"type": "object"}}, "{}"),
]


@pytest.mark.parametrize(("fields", "value"), STREAMED)
def test_a_stream_whose_chunks_can_be_the_result_is_refused(fields: dict[str, Any], value: str) -> None:
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec(name="stream_lines", description="Stream lines.", **fields)
    assert f"chunk_schema and the schema of the result both accept {value}" in str(caught.value)


def test_a_stream_whose_result_has_a_model_or_a_schema_of_its_own_is_accepted() -> None:
    chunks = {"chunk_schema": {"type": "object"}}
    assert ToolSpec.from_models(GreetRequest, GreetResponse, name="x", description="X.", **chunks)
    lines = ToolReturn("array", "All lines.")
    assert ToolSpec(name="x", description="X.", returns=lines, chunk_schema={"type": "string"})
    assert ToolSpec(name="x", description="X.", returns="All lines.", chunk_schema={"type": "string"})
