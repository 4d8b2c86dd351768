"""Seed 003, spec-driven tools: specs and inputs that are checked, streams, context, toolkits."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from pydantic import RootModel
from toolgen.cli import main
from toolgen.runtime import (
    BaseTool,
    ToolContext,
    ToolError,
    Toolkit,
    ToolParam,
    ToolResponse,
    ToolReturn,
    ToolSpec,
)

from examples.store import database
from examples.store.reader import Reader
from generated import anthropic_tools, catalog, mcp_server, openai_tools
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.sql_query import SqlQueryRequest, SqlQueryTool
from generated.tools.stream_lines import StreamLinesRequest, StreamLinesResponse, StreamLinesTool
from tests.runtime.tool_factory import EchoBySpec, code_of

from . import helpers

LINES = ["First, take the wheel off.", "Then, the tyre.", "Grüße 🚲"]
WHOLE = {"lines": LINES, "line_count": 3}
GOOD_SPEC = Path(__file__).with_name("seed_003_spec_driven_tools_good_spec.yaml").read_text("utf-8")


class Plain(StreamLinesTool):
    """stream_lines by a plain generator."""

    def execute(
        self, request: StreamLinesRequest, context: ToolContext
    ) -> Iterator[str | StreamLinesResponse]:
        yield from request.lines
        yield StreamLinesResponse(lines=request.lines, line_count=len(request.lines))


class Echo(EchoTool):
    """echo that passes a cursor to the next call in extras."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        before = context.extras.get("cursor", 0)
        context.extras["cursor"] = before + 1
        return EchoResponse(text=f"{request.text} {before}")


def generate(folder: Path, spec: str) -> int:
    """Run `toolgen generate` on one spec; its exit code."""
    (folder / "specs").mkdir()
    (folder / "specs" / "rename.yaml").write_text(spec)
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    return main(["-C", str(folder), "generate"])


@pytest.fixture(params=["async", "plain"])
def streaming(request: pytest.FixtureRequest, tmp_path: Path) -> Toolkit:
    """stream_lines by an async generator (the gallery's own) and by a plain one."""
    return helpers.gallery(tmp_path) if request.param == "async" else helpers.kit_of(Plain())


async def gathered(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


class MissingEngineError(ToolError):
    """A reserved code, which a tool may raise without declaring it."""

    code = "missing_dependency"


class QueryBySpec(BaseTool[dict[str, Any], str]):
    """The SQL query of the design, with an optional database."""

    spec = ToolSpec(
        name="sql_query",
        description="Execute a SQL query and return rows.",
        inputs=[ToolParam(name="query", type="string")],
        inject=[{"name": "db_engine", "type": "sqlite3.Connection", "optional": True}],
    )

    async def execute(
        self, request: dict[str, Any], context: ToolContext, *, db_engine: sqlite3.Connection | None
    ) -> str:
        if db_engine is not None:
            return str(db_engine.execute(request["query"]).fetchall())
        if request["query"] == "soft":
            return "DB engine not available."
        context.final_answer = True
        raise MissingEngineError("DB engine not available.")


class Text(RootModel[str]):
    """The response of a stream of strings."""


class LinesBySpec(BaseTool[dict[str, Any], Any]):
    """The streaming tool of the design."""

    spec = ToolSpec(
        name="stream_lines",
        description="Stream lines back to the caller (demo).",
        inputs=[ToolParam(name="lines", type="array", description="List of lines to stream")],
        returns=ToolReturn(type="string", description="A stream of lines"),
        chunk_schema={"type": "string"},
        response_model=Text,
    )


def test_a_toolkit_lists_finds_groups_and_filters(tmp_path: Path) -> None:
    """agents can discover, validate, and invoke them safely
    Toolkit
    """
    toolkit = helpers.gallery(tmp_path)
    assert list(toolkit) == sorted(catalog.TOOLS)
    assert "make_po" in toolkit
    assert toolkit.get("make_po") is toolkit.get("create_purchase_order")
    assert set(toolkit.tags["workspace"]) == {
        "attempt_completion", "execute", "load", "search", "search_and_replace", "todo", "write",
    }  # fmt: skip
    assert set(toolkit.select(tags=["website"])) == {"get_content", "list_content", "search_content"}
    assert list(toolkit.select(names=["make_po"])) == ["create_purchase_order"]
    reading = toolkit.select(predicate=lambda tool: bool(tool.get("annotations", {}).get("readOnlyHint")))
    assert "write" not in reading
    refused = helpers.call(reading, "write", {"path": "a", "text": "b"})
    assert code_of(refused) == "unknown_tool"


@pytest.mark.parametrize("name", ["echo", "stream_lines", "attempt_completion"])
def test_a_final_answer_is_marked(tmp_path: Path, name: str) -> None:
    """If True, the agent should treat results as the final answer and stop tool use"""
    arguments = helpers.spec(name)["examples"][0]["input"]
    assert helpers.call(helpers.gallery(tmp_path), name, arguments).final_answer
    block = {"type": "tool_use", "id": "1", "name": name, "input": arguments}
    answer = asyncio.run(
        anthropic_tools.answer_tool_use(block, helpers.gallery(tmp_path), scopes=helpers.SCOPES)
    )
    assert answer.response.final_answer


def test_other_answers_and_failures_are_not_final(tmp_path: Path) -> None:
    """final_answer=False"""
    toolkit = helpers.gallery(tmp_path)
    assert not helpers.call(toolkit, "sql_query", {"query": "SELECT 1"}).final_answer
    assert not helpers.call(toolkit, "echo", {}).final_answer


def test_a_stream_can_be_called_for_its_value(streaming: Toolkit) -> None:
    """Use a string for single-shot responses or a generator to stream"""
    assert helpers.call(streaming, "stream_lines", {"lines": LINES}).content == WHOLE


def test_extras_reach_the_next_call_and_the_application() -> None:
    """Arbitrary metadata to persist in agent memory and pass to subsequent tool calls

    Use extras sparingly: Include only what's useful for follow-on calls (IDs, cursors, references)
    """
    session = helpers.kit_of(Echo()).session({"cursor": 5})
    responses = [helpers.call(session, "echo", {"text": "a"}) for _ in range(2)]
    assert [response.content["text"] for response in responses] == ["a 5", "a 6"]
    assert [response.extras["cursor"] for response in responses] == [6, 7]
    assert session.extras == {"cursor": 7}
    other = helpers.call(helpers.kit_of(Echo()), "echo", {"text": "b"})
    assert other.content["text"] == "b 0", "another conversation"


async def test_a_client_over_stdio_needs_nothing_to_keep_extras() -> None:
    """final_answer=False: agent may call more tools using extras if present

    The SDK's client returns no token; a server over stdio has it as its only client.
    """

    server = mcp_server.build_server(helpers.kit_of(Echo()))
    server.state.serve_only_client()
    async with Client(server) as client:
        found = [helpers.text_of(await client.call_tool("echo", {"text": "a"})) for _ in range(2)]
    assert found == ['{"text":"a 0"}', '{"text":"a 1"}']


def test_extras_may_be_any_metadata() -> None:
    """extras={"row_ids": [1, 2, 3]}"""

    class Searching(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            context.extras["row_ids"] = [1, 2, 3]
            return EchoResponse(text="Found 3 matching rows in `users` table")

    response = helpers.call(helpers.kit_of(Searching()), "echo", {"text": "users"})
    assert response.extras == {"row_ids": [1, 2, 3]}
    assert "row_ids" not in response.as_text()


def test_a_stream_yields_chunks(streaming: Toolkit) -> None:
    """Agents should detect generator outputs and stream them to the user/UI"""
    *chunks, response = asyncio.run(gathered(streaming.stream("stream_lines", {"lines": LINES})))
    assert chunks == LINES
    assert isinstance(response, ToolResponse)
    assert response.content == WHOLE


def test_a_stream_is_iterated_over_in_synchronous_code(streaming: Toolkit) -> None:
    """def _stream_lines(lines) -> Generator[str, None, None]"""
    with streaming:
        *chunks, response = streaming.stream_sync("stream_lines", {"lines": LINES})
        assert [each.error.code for each in streaming.stream_sync("none", {})] == ["unknown_tool"]
    assert chunks == LINES
    assert response.content == WHOLE


def test_a_response_may_be_final_or_not_by_itself() -> None:
    """set final_answer=True only when it truly concludes the task"""

    class Deciding(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            assert context.final_answer is True, "the spec's"
            context.final_answer = request.text == "done"
            return EchoResponse(text=request.text)

    toolkit = helpers.kit_of(Deciding())
    for text, final in (("done", True), ("more", False)):
        assert helpers.call(toolkit, "echo", {"text": text}).final_answer is final
        meta = helpers.mcp_call(toolkit, "echo", {"text": text}).meta or {}
        assert meta.get("toolgen/final_answer", False) is final


def test_a_tool_may_declare_its_spec_in_python() -> None:
    """A declared spec of type ToolSpec (validated at init)"""
    definition = EchoBySpec.definition
    assert definition["name"] == "echo"
    assert definition["description"] == (
        "Echoes the input string back to the caller.\n\n"
        "Use when: When you need to return the same text verbatim.\n\nReturns: The echoed text"
    )
    assert definition["input_schema"] == {
        "type": "object",
        "additionalProperties": False,
        "required": ["text"],
        "properties": {"text": {"type": "string", "description": "Text to echo"}},
    }
    assert definition["output_schema"] == {"type": "string", "description": "The echoed text"}
    response = helpers.call(Toolkit([EchoBySpec()]), "echo", {"text": "a"})
    assert (response.content, response.final_answer) == ("a", True)


@pytest.mark.parametrize(
    "work",
    ["a value", "a stream", "an exception", "a value that breaks the contract"],
)
def test_a_call_always_returns_a_response(work: str) -> None:
    """A concrete __call__(...) -> ToolResponse implementation"""

    class Any_(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> Any:
            if work == "an exception":
                raise OSError("gone")
            return 7 if "breaks" in work else EchoResponse(text="a")

    arguments: dict[str, Any] = {"text": "a"}
    toolkit, name = helpers.kit_of(Any_()), "echo"
    if work == "a stream":
        toolkit, name, arguments = helpers.kit_of(Plain()), "stream_lines", {"lines": LINES}
    response = helpers.call(toolkit, name, arguments)
    assert isinstance(response, ToolResponse)
    assert response.success == (work in ("a value", "a stream"))


@pytest.mark.parametrize("name", sorted(catalog.TOOLS))
def test_a_spec_has_name_description_when_to_use_inputs_and_returns(name: str) -> None:
    """name, description, when_to_use, inputs, returns"""
    spec, tool = helpers.spec(name), catalog.tool_class(name)
    description = " ".join(str(tool.description).split())
    for part in ("description", "use_when", "avoid_when", "returns"):
        assert " ".join(spec[part].split()) in description
    assert f"Use when: {' '.join(spec['use_when'].split())}" in description
    assert f"Returns: {' '.join(spec['returns'].split())}" in description
    assert set(spec["input_schema"].get("properties", {})) == set(tool.input_schema.get("properties", {}))


@pytest.mark.parametrize("name", sorted(catalog.TOOLS))
def test_when_to_use_a_tool_and_what_it_returns_are_values(name: str) -> None:
    """Agent chooses a tool based on its ToolSpec (when_to_use, inputs, returns)"""
    spec, tool = helpers.spec(name), catalog.tool_class(name)
    texts = {key: spec[key] for key in ("use_when", "avoid_when", "returns")}
    assert {key: catalog.TOOLS[name].get(key) for key in texts} == texts
    assert {key: getattr(tool, key) for key in texts} == texts


def test_the_texts_of_a_tool_spec_are_values() -> None:
    """when_to_use: guidance for agents
    returns: a ToolReturn (type + description)
    """
    assert EchoBySpec.use_when == "When you need to return the same text verbatim."
    assert EchoBySpec.returns == "The echoed text"
    assert EchoBySpec.avoid_when is None
    assert "avoid_when" not in EchoBySpec.definition


def test_a_class_without_a_tool_spec_is_refused() -> None:
    """YourTool must define a ToolSpec 'spec'."""
    with pytest.raises(TypeError, match="must be a ToolSpec, not dict"):

        class Wrong(BaseTool[dict[str, Any], Any]):
            spec = {"name": "wrong"}  # noqa: RUF012

    class None_(BaseTool[dict[str, Any], Any]):
        def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
            return None

    with pytest.raises(TypeError, match="has no definition: set spec = ToolSpec"):
        Toolkit([None_()])


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ([ToolParam("a", "text")], "text"),
        ([ToolParam("a", "string"), ToolParam("a", "integer")], "twice"),
        ([ToolParam("a", "string", required="yes")], "required: expected True or False"),  # type: ignore[arg-type]
    ],
    ids=["an unknown type", "a name twice", "a flag that is a text"],
)
def test_an_invalid_tool_spec_is_a_value_error(inputs: list[ToolParam], says: str) -> None:
    """a ValueError is raised from ToolSpec.validate()"""
    with pytest.raises(ValueError, match=says):
        ToolSpec(name="wrong", description="Wrong.", inputs=inputs)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (GOOD_SPEC.replace("type: string", "type: text"), "specs/rename.yaml:9:19"),
        (GOOD_SPEC.replace("description: Give", "descripton: Give"), "did you mean 'description'?"),
        (GOOD_SPEC.replace("name: rename", "name: re name"), "specs/rename.yaml:1:7"),
        (f"{GOOD_SPEC}    title: {{type: string}}\n", "specs/rename.yaml:10:5"),
    ],
    ids=["a type that is none", "a key that is none", "a name that is none", "a parameter twice"],
)
def test_an_invalid_spec_is_refused_before_anything_is_generated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, says: str
) -> None:
    """unknown param type, duplicate param names"""
    assert generate(tmp_path, wrong) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "generated").exists()


def test_an_invalid_implementation_is_refused_when_it_is_defined() -> None:
    """def __call__(self, *args: Any, **kwargs: Any) -> ToolResponse"""
    with pytest.raises(TypeError, match=r"must accept \(self, request, context, \*, reader\)"):

        class Wrong(SqlQueryTool):
            def execute(self, request: SqlQueryRequest, context: ToolContext) -> Any:  # type: ignore[override]
                return None


def test_check_inputs_returns_the_typed_request() -> None:
    """The agent validates and packages inputs per spec.inputs"""
    request = SqlQueryTool.check_inputs({"query": "SELECT 1"})
    assert isinstance(request, SqlQueryRequest)
    assert (request.query, request.limit) == ("SELECT 1", 100)
    assert request.model_dump(mode="json", by_alias=True, exclude_unset=True) == {"query": "SELECT 1"}


def test_runtime_context_is_injected_by_name(tmp_path: Path) -> None:
    """Runtime context (in **kwargs) may include objects like llm, db_engine"""
    reader = Reader(database.database(tmp_path))
    toolkit = catalog.toolkit(context={"reader": reader})
    rows = helpers.call(toolkit, "sql_query", {"query": "SELECT count(*) FROM items"}).content["rows"]
    assert rows == [[19]]


def test_runtime_context_is_injected_by_type(tmp_path: Path) -> None:
    """injected by the calling agent"""
    toolkit = catalog.toolkit(context={Reader: Reader(database.database(tmp_path))})
    assert helpers.call(toolkit, "sql_query", {"query": "SELECT 1"}).success


@pytest.mark.parametrize("name", sorted(catalog.TOOLS))
def test_a_missing_dependency_is_an_error_response(name: str) -> None:
    """Your tool should not assume their presence - check and fail gracefully"""
    spec = helpers.spec(name)
    toolkit = catalog.toolkit(context={})
    example = spec["examples"][0]
    response = helpers.call(toolkit, name, example["input"])
    if "inject" not in spec:
        assert response.success
        return
    assert code_of(response) == "missing_dependency"
    assert spec["inject"][0]["name"] in response.error.message


@pytest.mark.parametrize("context", [{}, {"db_engine": None}], ids=["no entry", "None"])
def test_an_optional_dependency_is_none_where_the_application_has_none(context: dict[str, Any]) -> None:
    """db = kwargs.get("db_engine")"""
    response = helpers.call(helpers.kit_of(QueryBySpec(), context=context), "sql_query", {"query": "soft"})
    assert (response.content, response.final_answer) == ("DB engine not available.", False)
    with_engine = helpers.kit_of(QueryBySpec(), context={"db_engine": sqlite3.connect(":memory:")})
    assert helpers.call(with_engine, "sql_query", {"query": "SELECT 1"}).content == "[(1,)]"


def test_a_failure_is_a_final_answer_if_the_tool_says_so() -> None:
    """return ToolResponse(final_answer=True, results="DB engine not available.")"""
    toolkit = helpers.kit_of(QueryBySpec())
    final = helpers.call(toolkit, "sql_query", {"query": "SELECT 1"})
    assert final.as_text() == "Error [missing_dependency]: DB engine not available."
    assert final.final_answer
    mcp = helpers.mcp_call(toolkit, "sql_query", {"query": "SELECT 1"})
    assert (mcp.is_error, (mcp.meta or {})["toolgen/final_answer"]) == (True, True)
    assert not helpers.call(toolkit, "sql_query", {}).final_answer, "a failure that is not the tool's own"


@pytest.mark.parametrize("name", ["echo", "sql_query", "stream_lines"])
def test_the_three_tools_of_the_design_work(name: str, tmp_path: Path) -> None:
    """EchoTool, SQLQueryTool, StreamLinesTool"""
    for example in helpers.spec(name)["examples"]:
        response = helpers.call(helpers.gallery(tmp_path), name, example["input"])
        assert (response.content, response.error and response.error.code) == (
            example.get("output"),
            example.get("error"),
        )


def test_a_stream_of_strings_has_a_string_as_its_response() -> None:
    """returns=ToolReturn(type="string", description="A stream of lines")

    The tool says which item is the response: each of them is a string.
    """

    class Joined(LinesBySpec):
        def execute(self, request: dict[str, Any], context: ToolContext) -> Iterator[str | Text]:
            yield from request["lines"]
            yield Text("\n".join(request["lines"]))

    *chunks, response = asyncio.run(gathered(Toolkit([Joined()]).stream("stream_lines", {"lines": LINES})))
    assert chunks == LINES
    assert response.content == "\n".join(LINES)


def test_a_stream_of_strings_is_their_list_if_the_tool_marks_no_response() -> None:
    """def _gen() -> Generator[str, None, None]: for ln in lines: yield ln
    returns=ToolReturn(type="string", description="A stream of lines")
    """

    class Lines(BaseTool[dict[str, Any], Any]):
        spec = ToolSpec(
            name="stream_lines",
            description="Stream lines back to the caller (demo).",
            when_to_use="When producing incremental output is better for UX.",
            inputs=[
                ToolParam(name="lines", type="array", description="List of lines to stream", required=True)
            ],
            returns=ToolReturn(type="string", description="A stream of lines"),
            chunk_schema={"type": "string"},
            final_answer=True,
        )

        def execute(self, request: dict[str, Any], context: ToolContext) -> Iterator[str]:
            def _gen() -> Iterator[str]:
                yield from request["lines"]

            return _gen()

    *chunks, response = asyncio.run(gathered(Toolkit([Lines()]).stream("stream_lines", {"lines": LINES})))
    assert chunks == response.content == LINES
    assert response.final_answer
    assert str(Lines.description).endswith("Returns: A stream of lines")


def test_any_iterator_is_a_stream() -> None:
    """lines: Iterable[str]
    Use a string for single-shot responses or a generator to stream
    """

    class Listed(StreamLinesTool):
        def execute(
            self, request: StreamLinesRequest, context: ToolContext
        ) -> Iterator[str | StreamLinesResponse]:
            whole = StreamLinesResponse(lines=request.lines, line_count=len(request.lines))
            return iter([*request.lines, whole])

    *chunks, response = asyncio.run(
        gathered(helpers.kit_of(Listed()).stream("stream_lines", {"lines": LINES}))
    )
    assert (chunks, response.content) == (LINES, WHOLE)


def test_a_stream_whose_last_chunk_would_be_lost_is_refused() -> None:
    """return ToolResponse(final_answer=True, results=_gen())"""

    class Unmarked(LinesBySpec):
        def execute(self, request: dict[str, Any], context: ToolContext) -> Iterator[str]:
            yield from request["lines"]

    response = helpers.call(Toolkit([Unmarked()]), "stream_lines", {"lines": LINES})
    assert response.error is not None
    assert (response.error.code, response.content) == ("invalid_response", None)


def test_a_limit_is_optional_and_has_its_default(tmp_path: Path) -> None:
    """limit: int = 100"""
    toolkit = helpers.gallery(tmp_path)
    query = {"query": "SELECT sku FROM items"}
    assert helpers.call(toolkit, "sql_query", query).content["row_count"] == 19
    assert helpers.call(toolkit, "sql_query", query | {"limit": 3}).content["row_count"] == 3


def test_check_inputs_reports_every_fault_at_once() -> None:
    """Agent validates candidate inputs via ToolSpec.check_inputs(raw)"""
    with pytest.raises(ToolError) as caught:
        SqlQueryTool.check_inputs({"limit": 0, "colour": "red", "parameters": [True]})
    assert caught.value.code == "invalid_request"
    message = caught.value.message
    assert all(word in message for word in ("query", "$.limit", "colour", "$.parameters[0]"))


@pytest.mark.parametrize("era", helpers.ERAS)
def test_a_stream_over_mcp_has_progress_in_order_and_a_whole_result(streaming: Toolkit, era: Any) -> None:
    """If results is a generator, agent streams results to the user/UI"""
    reported: list[tuple[float, str | None]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, message))

    async def act(client: Client) -> Any:
        return await client.call_tool("stream_lines", {"lines": LINES}, progress_callback=progress)

    result = helpers.over_mcp(streaming, act, era)
    assert result.structured_content == WHOLE
    assert [number for number, _ in reported] == [1, 2, 3]
    assert [
        json.loads(str(message)) if str(message)[:1] == '"' else message for _, message in reported
    ] == LINES


def test_side_effects_are_documented_for_the_agent(tmp_path: Path) -> None:
    """Be deterministic: document any side effects"""
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    for tool in listed:
        assert tool.annotations is not None
        written = helpers.spec(tool.name)["annotations"]
        shown = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        assert {key: value for key, value in shown.items() if key != "title"} == {
            key: value for key, value in written.items() if key != "title"
        }


async def test_injected_values_that_fail_on_their_way_out_of_a_cancelled_call_harm_no_other_call() -> None:
    """Tools encapsulate side-effectful or domain-specific actions"""
    started = asyncio.Event()

    @asynccontextmanager
    async def db_engine() -> AsyncIterator[sqlite3.Connection]:
        try:
            yield sqlite3.connect(":memory:")
        finally:
            if started.is_set():
                raise OSError("the connection is gone")

    class Waiting(QueryBySpec):
        async def execute(self, request: dict[str, Any], context: ToolContext, **injected: Any) -> str:
            if request["query"] == "next":
                return "answered"
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    toolkit = helpers.kit_of(Waiting(), context={"db_engine": db_engine})
    call = asyncio.create_task(toolkit.call("sql_query", {"query": "wait"}))
    await started.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    started.clear()
    assert (await toolkit.call("sql_query", {"query": "next"})).content == "answered"


@pytest.mark.parametrize("way", ["chat", "responses", "anthropic"])
def test_a_stream_for_openai_and_anthropic(streaming: Toolkit, way: str) -> None:
    """Stream when valuable"""
    arguments = {"lines": LINES}
    function = {"name": "stream_lines", "arguments": json.dumps(arguments)}
    calls: dict[str, AsyncIterator[Any]] = {
        "chat": openai_tools.stream_tool_call(
            {"id": "1", "type": "function", "function": function}, streaming
        ),
        "responses": openai_tools.stream_tool_call(
            {"type": "function_call", "call_id": "1", **function}, streaming
        ),
        "anthropic": anthropic_tools.stream_tool_use(
            {"type": "tool_use", "id": "1", "name": "stream_lines", "input": arguments}, streaming
        ),
    }
    *chunks, answer = asyncio.run(gathered(calls[way]))
    assert chunks == LINES
    assert answer.response.content == WHOLE
    assert json.dumps(WHOLE, ensure_ascii=False, separators=(",", ":")) in json.dumps(
        answer.message, ensure_ascii=False
    ).replace('\\"', '"')


@pytest.mark.parametrize("target", ["mcp", "openai-chat", "openai-responses", "anthropic"])
def test_a_parameter_called_title_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    """The original design deleted it with `_strip_titles`, and left it in `required`."""
    assert generate(tmp_path, GOOD_SPEC) == 0
    capsys.readouterr()
    assert main(["-C", str(tmp_path), "export", target]) == 0
    published = json.dumps(json.loads(capsys.readouterr().out))
    assert '"title": {"type": "string", "description": "The new title."}' in published
    assert "title: Annotated[str, Field(" in (tmp_path / "generated" / "models" / "rename.py").read_text()


@pytest.mark.parametrize("name", sorted(catalog.TOOLS))
def test_runtime_context_is_invisible_to_the_model(name: str, tmp_path: Path) -> None:
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    tool = next(tool for tool in listed if tool.name == name)
    published = json.dumps(tool.model_dump(mode="json"))
    published += json.dumps([each for each in openai_tools.RESPONSES_TOOLS if each["name"] == name])
    published += json.dumps([each for each in anthropic_tools.TOOLS if each["name"] == name])
    for injected in helpers.spec(name).get("inject", ()):
        assert injected["type"] not in published
        assert f'"{injected["name"]}"' not in published
