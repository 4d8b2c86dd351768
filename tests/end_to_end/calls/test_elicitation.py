"""Tools that ask the user in the middle of their work: over stdio and HTTP, in both eras, behind a gateway."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from itertools import product
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.end_to_end.project import ERAS, TRANSPORTS, Project, error_code, text_of
from tests.preloaded import python_command
from tests.samples import sample

SPEC = Path(__file__).with_name("elicitation.yaml").read_text("utf-8")
TOOL = """
import asyncio
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from generated.tools.order import OrderResponse, OrderTool

class Details(BaseModel):
    quantity: int = Field(description="How many", ge=1)
    colour: Literal["red", "blue"] = "red"
    note: str | None = None

class Order(OrderTool):
    async def execute(self, request, context):
        with Path("begun.txt").open("a") as file:
            file.write(request.what + "\\n")
        try:
            if request.what.startswith("late"):
                await asyncio.sleep(0.5)
            answer = await context.elicit(f"How many {request.what}?", Details)
        except BaseException as error:
            with Path("failed.txt").open("a") as file:
                file.write(f"{request.what} {type(error).__name__}\\n")
            raise
        if answer.action != "accept":
            return OrderResponse(said=answer.action)
        await context.report_progress(1, 2, "ordering")
        data = answer.data
        return OrderResponse(said=f"{data.quantity} {data.colour} {request.what}, {data.note}")
"""


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A generated project with a tool that asks. Tests share it."""
    made = Project.create(tmp_path_factory.mktemp("asking"))
    made.add_tool("order", SPEC, TOOL)
    made.generate()
    return made


class User:
    """The user of a client: gives each answer in turn, and the last one again and again."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[types.ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        self.asked.append(params)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, dict):
            return types.ElicitResult(action="accept", content=answer)
        return types.ElicitResult(action=answer)


def said(result: types.CallToolResult) -> str:
    assert result.structured_content is not None, text_of(result)
    return str(result.structured_content["said"])


def begun(project: Project, what: str) -> int:
    """Return how often `execute` has begun for a thing."""
    file = project.root / "begun.txt"
    return file.read_text().split("\n").count(what) if file.exists() else 0


@TRANSPORTS
@ERAS
async def test_the_user_answers_in_the_middle_of_a_call_which_begins_once(
    asking: Project, transport: str, era: str
) -> None:
    user, what = User({"quantity": 3, "colour": "blue"}), f"pens-{transport}-{era}"
    progress: list[Any] = []

    async def note(*report: Any) -> None:
        progress.append(report)

    async with asking.client(transport, era, elicitation_callback=user) as client:
        result = await client.call_tool("order", {"what": what}, progress_callback=note)
    assert said(result) == f"3 blue {what}, None"
    assert progress == [(1.0, 2.0, "ordering")]
    assert begun(asking, what) == 1
    (asked,) = user.asked
    assert asked.message == f"How many {what}?"
    assert asked.requested_schema == {
        "type": "object",
        "required": ["quantity"],
        "properties": {
            "quantity": {"type": "integer", "minimum": 1, "title": "Quantity", "description": "How many"},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red", "title": "Colour"},
            "note": {"type": "string", "title": "Note"},
        },
    }


@ERAS
async def test_refusals_and_answers_that_do_not_fit(asking: Project, era: str) -> None:
    user = User("decline", "cancel", {"quantity": 0}, {"quantity": 2}, {"quantity": "many"})
    async with asking.stdio_client(era, elicitation_callback=user) as client:
        assert said(await client.call_tool("order", {"what": "a"})) == "decline"
        assert said(await client.call_tool("order", {"what": "b"})) == "cancel"
        assert said(await client.call_tool("order", {"what": "c"})) == "2 red c, None"
        failed = await client.call_tool("order", {"what": "d"})
    assert "The last answer cannot be taken: quantity: Input should be greater than" in user.asked[3].message
    assert error_code(failed) == "invalid_request"
    assert len(user.asked) == 6


@TRANSPORTS
@ERAS
async def test_a_client_that_cannot_ask_gets_an_error(asking: Project, transport: str, era: str) -> None:
    async with asking.client(transport, era) as client:
        result = await client.call_tool("order", {"what": "ink"})
    assert error_code(result) == "confirmation_required"


@TRANSPORTS
@ERAS
async def test_a_client_that_has_gone_ends_the_question(asking: Project, transport: str, era: str) -> None:
    """The tool hears of it: it can undo what it has begun."""
    user, what = User({"quantity": 1}), f"late-{transport}-{era}"
    failed = asking.root / "failed.txt"
    async with contextlib.AsyncExitStack() as stack:
        server = None if transport == "stdio" else await stack.enter_async_context(asking.server())
        client_context = (
            asking.stdio_client(era, elicitation_callback=user)
            if server is None
            else server.client(era, elicitation_callback=user)
        )
        async with client_context as client:
            call = asyncio.create_task(client.call_tool("order", {"what": what}))
            while not begun(asking, what):
                await asyncio.sleep(0.02)
            call.cancel()
        async with asyncio.timeout(10):
            while not (failed.exists() and what in failed.read_text()):
                await asyncio.sleep(0.05)
    assert user.asked == []
    (line,) = [each for each in failed.read_text().splitlines() if each.startswith(what)]
    assert line.split()[1] in ("CancelledError", "ConfirmationRequiredError")


@pytest.fixture(scope="module")
def gateway(asking: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A generated project that forwards calls to the one that asks."""
    made = Project.create(tmp_path_factory.mktemp("gateway"))
    python = shlex.join(python_command(asking.environment({})))
    start = f"cd {shlex.quote(str(asking.root))} && exec {python} -m generated.mcp_server"
    done = made.toolgen("import", "mcp", "--implement", "--", "sh", "-c", start)
    assert done.returncode == 0, done.stderr
    made.generate()
    return made


@pytest.mark.parametrize(("transport", "era"), sample(product(("stdio", "http"), ("legacy", "auto")), (0, 3)))
async def test_a_question_passes_a_gateway(
    asking: Project, gateway: Project, transport: str, era: str
) -> None:
    user, what = User({"quantity": 0}, {"quantity": 5}), f"caps-{transport}-{era}"
    async with gateway.client(transport, era, elicitation_callback=user) as client:
        assert said(await client.call_tool("order", {"what": what})) == f"5 red {what}, None"
    assert len(user.asked) == 2
    assert begun(asking, what) == 1


EXAMPLES = """
examples:
  - {name: pens, input: {what: pens}, output: {said: "7 red pens, thanks"}}
"""


def test_toolgen_test_fills_in_the_form_and_toolgen_call_says_who_can_ask(
    asking: Project, tmp_path: Path
) -> None:
    project = Project.create(tmp_path)
    examples = 'quantity: int = Field(description="How many", ge=1, examples=[7])'
    tool = TOOL.replace('quantity: int = Field(description="How many", ge=1)', examples)
    tool = tool.replace("note: str | None = None", 'note: str | None = Field(None, examples=["thanks"])')
    project.add_tool("order", SPEC + EXAMPLES, tool.replace('= "red"', '= Field("red", examples=["red"])'))
    project.generate()
    done = project.toolgen("test")
    assert done.returncode == 0, done.stdout + done.stderr
    called = project.toolgen("call", "order", "--input", '{"what": "pens"}')
    assert called.returncode == 1
    assert (
        "Error [confirmation_required]: order has to ask the user something" in called.stdout + called.stderr
    )
    assert "a client of MCP shows the forms of a tool with `asks`" in called.stderr
