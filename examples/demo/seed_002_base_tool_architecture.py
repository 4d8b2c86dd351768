"""Seed 002, the base tool architecture: one response in four forms, one configuration, seven tools."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from toolgen.runtime import Confirmation, ResponseForm, ToolConfig, ToolContext, Toolkit, ToolResponse

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool

from .narration import chapter, must, quote, step, tell
from .shop import SCOPES, Log, Shop, as_json


class Counting(EchoTool):
    """echo that counts its calls in a checkpoint, and fails at the third one."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        count = context.checkpoint.update("count", lambda count: count + 1, 0)
        if count == 3:
            raise RuntimeError("the password is swordfish")
        return EchoResponse(text=f"{request.text} {count}")


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
    tell("as INTACT", f"the response itself: {response.render(ResponseForm.INTACT) is response}")
    plain = response.render(ResponseForm.DICT, filter_metadata_fields=False)
    tell("as DICT", f"with the keys {', '.join(plain)}; metadata: {', '.join(plain['metadata'])}")
    tell("as STR", response.render(ResponseForm.STR))
    tell("as PRETTY", response.render())


async def job(shop: Shop) -> None:
    step("Seven tools work together: plan, search, read, write, change, check, present")
    toolkit = shop.toolkit()
    await done(toolkit, "todo", add=["Write to Ms Kite"])
    found = await done(toolkit, "search", query="14 days", path="templates")
    tell("", as_json(found["matches"]))
    template = await call(toolkit, "load", path=found["matches"][0]["path"])
    tell("answer", template.content["text"])
    await done(toolkit, "write", path="letters/kite.txt", text="Dear {customer},\n")
    await done(toolkit, "search_and_replace", search="{customer}", replacement="Ms Kite", path="letters")
    response = await call(toolkit, "execute", command="cat", arguments=["letters/kite.txt"])
    tell("answer", response.content["stdout"])
    await done(toolkit, "todo", set=[{"number": 1, "state": "done"}])
    last = await call(toolkit, "attempt_completion", result="Written.", files=["letters/kite.txt"])
    tell("answer", f"{last.content['message']} (final_answer: {last.final_answer})")


async def fence(shop: Shop) -> None:
    step("File tools cannot leave the workspace, commands come from an allow-list")
    toolkit = shop.toolkit()
    for name, arguments in (
        ("load", {"path": "../shop.sqlite3"}),
        ("execute", {"command": "wc", "arguments": ["--files0-from=README.md"]}),
    ):
        response = await call(toolkit, name, **arguments)
        tell("answer", response.as_text())


async def configured(shop: Shop) -> None:
    step("ToolConfig: a checkpoint that survives a restart, a log with details that the agent does not see")
    log = Log("demo.checkpoint")
    quote("examples/demo/seed_002_base_tool_architecture.py", "count = context", 5)
    answers: list[str] = []
    for _ in range(3):  # a new toolkit for each call, as after a restart
        config = ToolConfig(logger=log.logger, checkpoint=shop.folder / "state")
        response = await call(Toolkit([Counting()], config=config), "echo", text="call")
        answers.append(response.as_text())
        tell("answer", answers[-1])
    must("swordfish" not in "".join(answers), "the agent does not see the text of the exception")
    log.tell(logging.WARNING)
