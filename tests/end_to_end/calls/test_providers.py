"""All provider modules take the same arguments and share one toolkit."""

from __future__ import annotations

import json

import pytest

from tests.cli.terminal import at_a_terminal
from tests.end_to_end.project import Project
from tests.end_to_end.provider_probe import PROVIDERS, add_tools, add_wipe, run, run_each
from tests.preloaded import python_command
from tests.samples import sample

EACH = pytest.mark.parametrize("provider", PROVIDERS)
REPORT = {"tenant": "acme", "principal": "ada", "session": None}


@pytest.fixture(autouse=True)
def _tools(project: Project) -> None:
    add_tools(project)


@EACH
def test_context_scopes_principal_and_progress_reach_the_tool(project: Project, provider: str) -> None:
    body = """
seen = []
async def progress(done, total, message):
    seen.append([done, total, message])
given = dict(context={"tenant": "acme"}, principal="ada", progress=progress)
call = p.call("report", {})
return [
    p.text(await p.execute(call, scopes=frozenset({"orders:write"}), **given)),
    p.text((await p.answer(call, scopes=frozenset({"orders:write"}), **given)).message),
    p.text(await p.execute(call, scopes=frozenset(), **given)),
    seen,
]
"""
    executed, answered, refused, seen = run_each(project, body, provider)
    assert json.loads(executed) == json.loads(answered) == REPORT
    assert refused.startswith("Error [insufficient_scope]")
    assert seen == [[1, 2, "half"]] * 2


LONG = """
async def execute(self, request, context):
    await context.report_progress(1, 2, "half")
    await asyncio.sleep(2.5)  # a worker reports progress once a second
    return "done"
"""


def test_toolgen_call_waits_for_a_worker_and_shows_progress_on_a_terminal(project: Project) -> None:
    project.add_plain_tool("long", LONG, before="import asyncio", more="background: {result_ttl: 60}")
    project.generate()

    env = project.environment({"TOOLGEN_TASK_QUEUE": "memory"})
    shown, code = at_a_terminal(project, ["call", "long"], python=python_command(env), **env)

    assert code == 0, shown
    assert "1 of 2: half" in shown
    assert '"done"' in shown


@EACH
def test_a_two_step_token_is_redeemed(project: Project, provider: str) -> None:
    body = """
call = p.call("wipe", {"disk": "a"})
first = await p.answer(call)
token = first.response.metadata["confirmation"]["token"]
text = p.text(first.message)
other = p.text(await p.execute(p.call("wipe", {"disk": "b"}), confirmation_token=token))
token = (await p.answer(call)).response.metadata["confirmation"]["token"]
done = p.text(await p.execute(call, confirmation_token=token))
again = p.text(await p.execute(call, confirmation_token=token))
return [token in text, text, other, done, again]
"""
    shown, text, other, done, again = run_each(project, body, provider)
    assert not shown
    assert text.startswith("Error [confirmation_required]")
    assert other.startswith("Error [confirmation_required]")
    assert done == "wiped a"
    assert again.startswith("Error [confirmation_required]")


@EACH
def test_streams_take_the_same_arguments_as_calls(project: Project, provider: str) -> None:
    body = """
heard = []
async def listen(chunk):
    heard.append(chunk)
items = [each async for each in p.stream(p.call("lines", {}), None, None, principal="ada", listen=listen)]
token = (await p.answer(p.call("wipe", {"disk": "a"}))).response.metadata["confirmation"]["token"]
wiped = [each async for each in p.stream(p.call("wipe", {"disk": "a"}), confirmation_token=token)]
await p.execute(p.call("lines", {}), listen=listen)
return [items[:-1], heard, p.text(wiped[-1].message)]
"""
    chunks, heard, wiped = run_each(project, body, provider)
    assert chunks == ["one", "two"]
    assert heard == ["one", "two", "one", "two"]
    assert wiped == "wiped a"


def test_a_session_is_shared_by_all_providers(project: Project) -> None:
    body = """
found = []
for p in ALL.values():
    found.append(p.text(await p.execute(p.call("count", {}), session="conversation 1")))
other = p.text(await p.execute(p.call("count", {}), session="conversation 2"))
none = p.text(await p.execute(p.call("count", {})))
options = {"context": {"tenant": "acme"}, "scopes": frozenset({"orders:write"})}
report = p.text(await p.execute(p.call("report", {}), session="conversation 1", **options))
return [found, other, none, json.loads(report)["session"]]
"""
    assert run(project, body) == [["1", "2", "3", "4", "5"], "1", "1", "conversation 1"]


def test_a_new_session_replaces_the_one_that_is_idle_longest(project: Project) -> None:
    body = """
p = ALL["anthropic"]
return [p.text(await p.execute(p.call("count", {}), session=each)) for each in "abacab"]
"""
    assert run(project, body, TOOLGEN_SESSIONS="2") == ["1", "1", "2", "1", "3", "1"]


def test_set_up_runs_once_for_all_providers_and_the_mcp_server(project: Project) -> None:
    project.write("tools/__init__.py", 'CONTEXT = {"tenant": "default"}\n')
    body = """
from mcp import Client
from generated import mcp_server
texts = await call_all()
async with Client(mcp_server.build_server()) as client:
    result = await client.call_tool("count", {})
    during = Path("lifecycle.log").read_text()
return [texts, result.is_error, during, Path("lifecycle.log").read_text()]
"""
    texts, failed, during, after = run(project, body)
    assert all(json.loads(text)["tenant"] == "acme" for text in texts)
    assert not failed
    assert during == "setup "
    assert after == "setup close "


@pytest.mark.parametrize("closing", ["catalog", "openai_tools"])
def test_tools_are_set_up_again_after_close(project: Project, closing: str) -> None:
    body = f"""
await catalog.close()
first = catalog.default_toolkit()
await call_all()
await {closing}.close()
closed = Path("lifecycle.log").read_text()
await call_all()
same = catalog.default_toolkit() is first
await {closing}.close()
await {closing}.close()
return [closed, same, Path("lifecycle.log").read_text()]
"""
    assert run(project, body) == ["setup close ", False, "setup close setup close "]


def test_a_given_toolkit_is_used_and_not_closed(project: Project) -> None:
    body = """
async with catalog.toolkit(context={"tenant": "mine"}) as toolkit:
    texts = []
    for p in ALL.values():
        text = p.text(await p.execute(p.call("report", {}), toolkit, scopes=["orders:write"]))
        texts.append(json.loads(text)["tenant"])
        await p.module.close()
    return [texts, Path("lifecycle.log").read_text()]
"""
    assert run(project, body) == [["mine"] * 5, "setup "]


@EACH
def test_several_calls_are_answered_at_once_and_in_order(project: Project, provider: str) -> None:
    project.write(
        "tools/echo.py",
        """
        import asyncio
        from generated.tools.echo import EchoTool

        met = asyncio.Barrier(2)

        class Echo(EchoTool):
            async def execute(self, request, context):
                if request.text == "bad":
                    raise RuntimeError("inside")
                async with asyncio.timeout(20):
                    await met.wait()
                return {"text": request.text}
        """,
    )
    body = """
calls = [p.call("echo", {"text": text}, id=text) for text in ("one", "bad", "two")]
calls.insert(1, p.call("nobody", {}, id="x"))
return [p.text(message) for message in await p.module.run_tool_calls(calls)]
"""
    one, nobody, bad, two = run_each(project, body, provider)
    assert (json.loads(one), json.loads(two)) == ({"text": "one"}, {"text": "two"})
    assert nobody.startswith("Error [unknown_tool]")
    assert bad.startswith("Error [internal_error]")


MESSAGES = {
    "openai-chat": """
from openai.types.chat import ChatCompletion
message = {"role": "assistant", "content": None, "tool_calls": [chat("echo", {"text": "hi"})]}
choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
response = {"id": "r", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice]}
sdk = ChatCompletion.model_validate(response)
holders = [message, sdk, sdk.choices[0].message.tool_calls, response]
empty = [{"role": "assistant", "content": "no"}, None, []]
""",
    "openai-responses": """
from openai.types.responses import ResponseFunctionToolCall, ResponseReasoningItem
from types import SimpleNamespace
reasoning = {"type": "reasoning", "id": "r", "summary": []}
custom = {"type": "custom_tool_call", "call_id": "x", "name": "sql", "input": "select 1"}
output = [reasoning, item("echo", {"text": "hi"}), custom]
sdk = [ResponseReasoningItem.model_validate(reasoning), ResponseFunctionToolCall.model_validate(output[1])]
holders = [output, {"output": output}, sdk, SimpleNamespace(object="response", output=sdk)]
empty = [[reasoning], {"output": []}]
""",
    "anthropic": """
from anthropic.types import Message
content = [{"type": "text", "text": "hm"}, block("echo", {"text": "hi"}),
           {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
           block("close_tab", {}, toolset_name="browser")]
usage = {"input_tokens": 1, "output_tokens": 1}
message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
           "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
sdk = Message.model_validate({**message, "content": content[:2]})
holders = [message, content, sdk, sdk.content]
empty = [{"role": "assistant", "content": "text"}, []]
""",
    "gemini": """
from google.genai.types import GenerateContentResponse
parts = [{"text": "hm"}, part("echo", {"text": "hi"})]
response = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
sdk = GenerateContentResponse.model_validate(response)
holders = [response, parts, sdk, sdk.function_calls, sdk.candidates[0].content, sdk.candidates[0].content.parts,
           {"role": "model", "parts": [{"functionCall": parts[1]["function_call"]}]}]
empty = [None, [], {"role": "model", "parts": [{"text": "no"}]}, GenerateContentResponse(candidates=[])]
""",
    "bedrock": """
content = [{"text": "hm"}, use("echo", {"text": "hi"}),
           {"toolUse": {"toolUseId": "s", "name": "search", "input": {}, "type": "server_tool_use"}}]
message = {"role": "assistant", "content": content}
holders = [content, message, {"output": {"message": message}, "stopReason": "tool_use"}]
empty = [[], {"role": "assistant", "content": [{"text": "no"}]}]
""",
}


@pytest.mark.parametrize("provider", sample(PROVIDERS, (0, 2)))
def test_run_tool_calls_accepts_every_form_of_a_message(project: Project, provider: str) -> None:
    body = f"""
p = ALL[{provider!r}]
{MESSAGES[provider].strip()}
found = [await p.module.run_tool_calls(each) for each in holders]
nothing = [await p.module.run_tool_calls(each) for each in empty]
wrong = []
for each in ("echo", 5, {{"surprise": 1}}):
    try:
        wrong.append(await p.module.run_tool_calls(each))
    except TypeError as error:
        wrong.append(str(error))
return [[[p.text(message) for message in messages] for messages in found], nothing, wrong]
"""
    found, nothing, wrong = run(project, body)
    assert [[json.loads(text) for text in texts] for texts in found] == [[{"text": "hi"}]] * len(found)
    assert nothing == [[]] * len(nothing)
    assert all(isinstance(each, str) and "tool call" in each for each in wrong), wrong


@EACH
def test_a_pending_confirmation_does_not_lose_the_other_answers(project: Project, provider: str) -> None:
    body = """
from toolgen.runtime import ConfirmationPending
from toolgen.runtime.adapters.provider import ConfirmationsPending
async def later(confirmation):
    raise ConfirmationPending(confirmation)
calls = [p.call("echo", {"text": "hi"}), p.call("wipe", {"disk": "a"}), p.call("count", {})]
try:
    await p.module.run_tool_calls(calls, confirm=later)
except ConfirmationsPending as pending:
    first, waiting, last = pending.outcomes
    return [p.text(first.message), waiting.confirmation.message, p.text(last.message)]
"""
    echoed, question, counted = run_each(project, body, provider)
    assert (json.loads(echoed), question, counted) == ({"text": "hi"}, "Wipe a?", "1")


def test_the_user_is_asked_one_question_at_a_time(project: Project) -> None:
    body = """
p = ALL["anthropic"]
asking, most, order = 0, 0, []
async def confirm(confirmation):
    nonlocal asking, most
    asking += 1
    most = max(most, asking)
    for _ in range(20):
        await asyncio.sleep(0)
    asking -= 1
    order.append(confirmation.arguments["disk"])
    return confirmation.arguments["disk"] != "b"
calls = [p.call("wipe", {"disk": disk}, id=disk) for disk in "abc"]
answers = await p.module.run_tool_calls(calls, None, confirm)
return [most, order, [answer["tool_use_id"] for answer in answers], [p.text(answer) for answer in answers]]
"""
    most, order, ids, texts = run(project, body)
    assert (most, order, ids) == (1, ["a", "b", "c"], ["a", "b", "c"])
    assert texts[0] == "wiped a"
    assert texts[1].startswith("Error [declined]")
    assert texts[2] == "wiped c"


def test_each_of_several_calls_redeems_its_own_token(project: Project) -> None:
    body = """
p = ALL["anthropic"]
calls = [p.call("wipe", {"disk": disk}, id=disk) for disk in "ab"]
asked = await p.module.answer_tool_calls(calls)
tokens = {answer.message["tool_use_id"]: answer.response.metadata["confirmation"]["token"] for answer in asked}
return [p.text(answer) for answer in await p.module.run_tool_calls(calls, confirmation_tokens=tokens)]
"""
    assert run(project, body) == ["wiped a", "wiped b"]


@pytest.mark.parametrize(("scope", "code"), [("orders:write", 0), ("orders:read", 1)])
def test_scopes_of_toolgen_call_are_those_of_its_flag(project: Project, scope: str, code: int) -> None:
    project.write("tools/__init__.py", 'CONTEXT = {"tenant": "acme"}\n')
    done = project.toolgen("call", "report", "--scopes", scope, TOOLGEN_SCOPES="orders:write")
    assert done.returncode == code, done.stderr
    assert ("[insufficient_scope]" in done.stderr) == (code == 1)


def test_a_call_without_an_id_is_refused_before_any_call_is_executed(project: Project) -> None:
    body = """
p = ALL["anthropic"]
calls = [p.call("count", {}), {"type": "tool_use", "name": "count", "input": {}}]
try:
    await p.module.run_tool_calls(calls, session="a")
except TypeError as error:
    return [str(error), p.text(await p.execute(p.call("count", {}), session="a"))]
"""
    assert run(project, body) == ["the tool call has no 'id' to answer to", "1"]


@EACH
def test_a_pending_confirmation_is_resumed_in_another_process(project: Project, provider: str) -> None:
    add_wipe(project, "deny")
    project.generate()
    env = {
        "TOOLGEN_CONFIRMATION_KEY": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        "TOOLGEN_CONFIRMATION_STORE": f"sqlite:///{project.root}/confirmations.db",
    }
    ask = f"""
from toolgen.runtime import ConfirmationPending
async def later(confirmation):
    raise ConfirmationPending(confirmation)
p, tokens = ALL[{provider!r}], []
for _ in range(3):
    try:
        await p.execute(p.call("wipe", {{"disk": "a"}}), confirm=later, principal="ada", session="1")
    except ConfirmationPending as pending:
        tokens.append(getattr(pending, "token", None))
return tokens
"""
    tokens = run(project, ask, **env)
    assert all(isinstance(token, str) for token in tokens)
    act = f"""
p, texts = ALL[{provider!r}], []
eve, other_disk, token = {tokens!r}
for principal, disk, given in (
    ("eve", "a", eve), ("ada", "b", other_disk), ("ada", "a", token), ("ada", "a", token),
):
    options = {{"principal": principal, "session": "1", "confirmation_token": given}}
    texts.append(p.text(await p.execute(p.call("wipe", {{"disk": disk}}), **options)))
return texts
"""
    *refused, done, again = run(project, act, **env)
    assert done == "wiped a"
    assert all(text.startswith("Error [") for text in (*refused, again))
