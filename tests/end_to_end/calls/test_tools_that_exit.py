"""A tool that exits, interrupts or cancels gets `internal_error` and does not affect other calls."""

from __future__ import annotations

import pytest

from tests.end_to_end.project import ECHO_SPEC, ECHO_TOOL, NEWEST_ERA, Project, error_code, text_of

BEFORE = """
import asyncio, sys

async def cancelled():
    task = asyncio.create_task(asyncio.sleep(10))
    task.cancel()
    await task

async def exits():
    await asyncio.sleep(0)
    raise SystemExit
"""
EXECUTES = {
    "async_exit": "async def execute(self, request, context): sys.exit(3)",
    "plain_exit": "def execute(self, request, context): sys.exit(3)",
    "foreign_cancel": "async def execute(self, request, context): await cancelled()",
    "cancels_itself": "async def execute(self, request, context):\n    asyncio.current_task().cancel()\n    await asyncio.sleep(5)",
    "exit_group": "async def execute(self, request, context):\n"
    "    raise BaseExceptionGroup('g', [SystemExit(1), KeyboardInterrupt()])",
    "plain_stream_exit": "def execute(self, request, context):\n    yield 1\n    sys.exit(3)",
    "injected_exit": "async def execute(self, request, context, *, exits): return 1",
    "import_exit": "sys.exit(3)",
    "child_exit": "async def execute(self, request, context): await asyncio.gather(exits())",
}
LEAVING = {  # the call ends as if nothing had happened
    "cancels_itself_at_the_end": (
        "async def execute(self, request, context):\n    asyncio.current_task().cancel()\n    return 1"
    ),
    "forgotten_exit": (
        "async def execute(self, request, context):\n    await asyncio.wait([asyncio.create_task(exits())])"
    ),
}
SETUPS = {"setup_exit": "async def setup(self): sys.exit(3)"}
CLOSES = {"close_cancel": "async def close(self): await cancelled()"}
PREVIEWS = {"preview_exit": "async def preview(self, request, context): sys.exit(3)"}
NAMES = (*EXECUTES, *LEAVING, *SETUPS, *PREVIEWS, *CLOSES)
EXECUTE = "async def execute(self, request, context): return 1"
CONTEXT = """
import sys

def exits():
    sys.exit(3)

CONTEXT = {"exits": exits}
"""


def add(project: Project, name: str, *methods: str) -> None:
    body = "\n".join(methods)
    more = ["inject: [{name: exits, type: typing.Any}]"] if ", exits)" in body else []
    if "stream" in name:
        more.append("stream: {chunk_schema: {type: integer}}")
    if "preview" in name:
        more.append("confirm: {message: Really?, preview: true, on_unsupported: two_step}")
    project.add_plain_tool(name, body, before=BEFORE, more="\n".join(more))


@pytest.fixture
def misbehaving(project: Project) -> Project:
    for name, method in {**EXECUTES, **LEAVING}.items():
        add(project, name, method)
    for name, method in {**SETUPS, **CLOSES, **PREVIEWS}.items():
        add(project, name, EXECUTE, method)
    project.write("tools/__init__.py", CONTEXT)
    project.generate()
    return project


def expected(name: str) -> str | None:
    if name in SETUPS:
        return "not_ready"
    return None if name in CLOSES or name in LEAVING else "internal_error"


@NEWEST_ERA
async def test_a_server_survives_a_tool_that_exits_or_cancels(misbehaving: Project, era: str) -> None:
    async def calls(client: object) -> dict[str, str | None]:
        found = {}
        for name in NAMES:
            found[name] = error_code(await client.call_tool(name, {}))  # type: ignore[attr-defined]
            assert text_of(await client.call_tool("echo", {"text": name})) == f'{{"text":"{name}"}}'  # type: ignore[attr-defined]
        return found

    async with misbehaving.stdio_client(era) as client:
        stdio = await calls(client)
    async with misbehaving.server() as server, server.client(era) as client:
        http = await calls(client)
    wanted = {name: expected(name) for name in NAMES}
    assert stdio == http == wanted
    assert [name for name in wanted if name not in server.log] == []
    assert server.process.returncode == 0


@pytest.mark.parametrize("name", ["async_exit", "child_exit"])
def test_toolgen_call_answers_a_tool_that_exits_or_cancels(misbehaving: Project, name: str) -> None:
    done = misbehaving.toolgen("call", name)
    assert done.returncode == 1
    assert (expected(name) or "") in done.stdout + done.stderr
    assert "asyncio/runners.py" not in done.stderr


def test_toolgen_call_shows_the_text_of_an_undeclared_exception(project: Project) -> None:
    project.add_tool(
        "echo", ECHO_SPEC, ECHO_TOOL.replace("return ", "raise LookupError('no table: bin 7') or ")
    )
    project.generate()
    done = project.toolgen("call", "echo", "--input", '{"text": "a"}')
    assert done.returncode == 1
    assert done.stderr.endswith("\nLookupError: no table: bin 7\n")
    assert "no table" not in done.stdout


def test_toolgen_call_masks_secrets_in_the_text_of_an_exception(project: Project) -> None:
    spec = ECHO_SPEC + "auth: {secrets: [ECHO_TOKEN]}\n"
    tool = ECHO_TOOL.replace("return ", "raise LookupError('with ' + context.secrets['ECHO_TOKEN']) or ")
    project.add_tool("echo", spec, tool)
    project.generate()
    done = project.toolgen("call", "echo", "--input", '{"text": "a"}', ECHO_TOKEN="s3cret-of-echo")
    assert "LookupError: with" in done.stderr
    assert "s3cret" not in done.stderr + done.stdout
