"""Seed 002, the base tool architecture: one response in four forms, one configuration, seven tools."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from toolgen.runtime import Confirmation, ResponseForm, ToolConfig, ToolContext, Toolkit, ToolResponse

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool

from .narration import chapter, cut, must, step, tell
from .shop import SCOPES, Shop, as_json


class Counting(EchoTool):
    """echo that counts its calls in a checkpoint, and fails at the third one."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        count = context.checkpoint.load("count", 0) + 1
        context.checkpoint.save("count", count)
        if count == 3:
            raise RuntimeError("the password is swordfish")
        return EchoResponse(text=f"{request.text} {count}")


class Lines(logging.Handler):
    """A log handler that collects records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


async def walk(shop: Shop) -> None:
    """Show this design with real calls in this process, as an agent's own loop makes them."""
    chapter(
        "002",
        "Base tool architecture",
        "One ToolResponse in four forms, one ToolConfig; errors are logged, never raised at the agent.",
    )
    await forms(shop)
    await job(shop)
    await fence(shop)
    await configured(shop)


async def call(toolkit: Toolkit, name: str, **arguments: Any) -> ToolResponse:
    """Call a tool in this process, and show the call; the user confirms it if asked."""
    tell("call", f"{name} {as_json(arguments)}")
    return await toolkit.call(name, arguments, confirm=agree, scopes=SCOPES)


async def agree(confirmation: Confirmation) -> bool:
    """Answer as the user of an application, who is asked by a callback."""
    tell("asked", confirmation.message)
    tell("the user", "agrees")
    return True


async def done(toolkit: Toolkit, name: str, **arguments: Any) -> Mapping[str, Any]:
    """Return the content of a call that must succeed; show its message."""
    response = await call(toolkit, name, **arguments)
    must(response.success, f"{name} succeeds, but it says: {response.as_text()}")
    tell("answer", response.content["message"])
    return dict(response.content)


async def forms(shop: Shop) -> None:
    step("One response in four output forms")
    response = await call(shop.toolkit(), "load", path="notes/suppliers.md", line_count=1)
    must(response.render(ResponseForm.INTACT) is response, "INTACT is the response itself")
    plain = response.render(ResponseForm.DICT, filter_metadata_fields=False)
    must(plain["metadata"]["call_id"] == response.metadata["call_id"], "the DICT form has the metadata")
    tell("as DICT", f"with the keys {', '.join(plain)}")
    tell("as STR", cut(response.render(ResponseForm.STR)))
    tell("as PRETTY", "\n".join([*response.render().splitlines()[:5], "..."]))


async def job(shop: Shop) -> None:
    step("Seven tools work together: plan, search, write, change, check, present")
    toolkit = shop.toolkit()
    await done(toolkit, "todo", add=["Write to Ms Kite"])
    await done(toolkit, "search", query="14 days", path="templates")
    await done(toolkit, "write", path="letters/kite.txt", text="Dear {customer},\n")
    await done(toolkit, "search_and_replace", search="{customer}", replacement="Ms Kite", path="letters")
    response = await call(toolkit, "execute", command="cat", arguments=["letters/kite.txt"])
    must(response.content["stdout"] == "Dear Ms Kite,\n", "the letter is written")
    tell("answer", response.content["stdout"])
    await done(toolkit, "todo", set=[{"number": 1, "state": "done"}])
    last = await call(toolkit, "attempt_completion", result="Written.", files=["letters/kite.txt"])
    must(last.success and last.final_answer, "this is the final answer")
    tell("answer", f"{last.content['message']} (final_answer: {last.final_answer})")


async def fence(shop: Shop) -> None:
    step("File tools cannot leave the workspace, commands come from an allow-list")
    toolkit = shop.toolkit()
    for name, code, arguments in (
        ("load", "outside_workspace", {"path": "../shop.sqlite3"}),
        ("execute", "not_allowed", {"command": "wc", "arguments": ["--files0-from=README.md"]}),
    ):
        response = await call(toolkit, name, **arguments)
        must(response.error is not None and response.error.code == code, f"{name} refuses with {code}")
        tell("answer", response.as_text().splitlines()[0])


async def configured(shop: Shop) -> None:
    step("ToolConfig: a checkpoint that survives a restart, a log with details that the agent does not see")
    logger, lines = logging.getLogger("demo"), Lines()
    logger.propagate = False
    logger.addHandler(lines)
    answers: list[str] = []
    for _ in range(3):  # a new toolkit for each call, as after a restart
        toolkit = Toolkit([Counting()], config=ToolConfig(logger=logger, checkpoint=shop.folder / "state"))
        response = await call(toolkit, "echo", text="call")
        answers.append(response.as_text())
        tell("answer", answers[-1])
    must(
        answers[:2] == ['{"text":"call 1"}', '{"text":"call 2"}'],
        "the second call finds the checkpoint of the first",
    )
    must(
        "internal_error" in answers[2] and "swordfish" not in answers[2],
        "an exception becomes an error response",
    )
    errors = [record for record in lines.records if record.levelno == logging.ERROR]
    must(len(errors) == 1 and errors[0].exc_info is not None, "the log has the exception")
    if errors[0].exc_info:
        must(errors[0].call_id in answers[2], "the log and the answer have the same call id")  # type: ignore[attr-defined]
        tell("the log", repr(errors[0].exc_info[1]))
