"""Code mode: scripts call tools by their contracts, ask the user where these say so, and are bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from toolgen.runtime import Toolkit
from toolgen.serving.code_mode import script, toolkit

from tests.code_mode.adversary import attack
from tests.code_mode.shop import Shop, answering, run, serve
from tests.processes import PATIENCE

ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


def talk(
    work: Callable[[Client], Awaitable[Any]], era: str = "auto", tools: Toolkit | None = None, **options: Any
) -> Any:
    async def main() -> Any:
        async with serve(tools or Shop().toolkit(), era, **options) as client:
            return await work(client)

    return asyncio.run(main())


def run_one(code: str, era: str = "auto", tools: Toolkit | None = None, **options: Any) -> Any:
    return talk(lambda client: run(client, code), era, tools, **options)


def test_three_tools_are_listed_in_place_of_all() -> None:
    async def listed(client: Client) -> dict[str, str]:
        return {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}

    found = talk(listed)
    assert list(found) == ["search_tools", "describe_tools", "run_code"]
    assert f"for {script.SECONDS:g} seconds and make {script.CALLS} calls." in found["run_code"]


def test_search_finds_functions_and_describe_prints_their_stubs() -> None:
    async def work(client: Client) -> tuple[Any, Any]:
        found = await client.call_tool("search_tools", {"text": "what does an article cost, its price"})
        described = await client.call_tool("describe_tools", {"names": ["get_price", "order"]})
        return found.structured_content, described.content[0].text  # type: ignore[union-attr]

    found, described = talk(work)
    assert next(iter(found["functions"])) == "get_price"
    assert found["functions"]["order"] == "Order an article from the supplier."
    signature = "def get_price(\n    *,\n    article: str,  # Its name. (not empty)\n) -> GetPriceResult:"
    assert signature in described
    assert "- sold_out: There is none left. Order another article." in described


def test_a_script_calls_functions_and_returns_its_last_expression() -> None:
    code = "total = 0\nfor name in ['bell', 'saddle']:\n    total += get_price(article=name)['amount']\nprint('ok')\ntotal"
    assert run_one(code) == {"result": 15.0, "printed": "ok\n"}


def test_parameters_have_the_names_of_stubs_or_those_on_the_wire() -> None:
    assert run_one("list_(user_id='a', class_='b')")["result"] == {"user-id": "a", "class": "b"}
    assert run_one("list_({'user-id': 'a'})")["result"] == {"user-id": "a"}
    assert "takes keyword arguments only" in run_one("list_('a')")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("order(article='rare')", "RuntimeError: sold_out: There is none left. Order another article."),
        ("get_price(article='')", "RuntimeError: invalid_request: Invalid arguments"),
        ("broken()", "RuntimeError: invalid_response:"),
        ("get_price(article={1, 2})", "TypeError: set is not JSON"),
        ("1 +", "SyntaxError"),
    ],
)
def test_errors_reach_the_script_with_their_codes(code: str, text: str) -> None:
    found = run_one(code, elicitation_callback=answering([], "accept"))
    assert found.startswith("Error [script_failed]")
    assert text in found


@ERAS
def test_a_function_that_asks_waits_for_the_users_answer(era: str) -> None:
    shop, asked = Shop(), list[str]()
    code = "kept = [1]\none = order(article='bell')\ntwo = order(article='saddle')\n[kept, one, two]"
    found = run_one(code, era, shop.toolkit(), elicitation_callback=answering(asked, "accept"))
    assert found["result"] == [[1], {"order": 1}, {"order": 2}]
    assert asked == ["Order bell?", "Order saddle?"]
    assert shop.done == ["order bell", "order saddle"]


@ERAS
@pytest.mark.parametrize("answer", ["decline", "cancel"])
def test_a_script_ends_where_the_user_says_no(era: str, answer: str) -> None:
    shop, asked = Shop(), list[str]()
    code = "while True:\n    try:\n        order(article='bell')\n    except BaseException:\n        pass"
    found = run_one(code, era, shop.toolkit(), elicitation_callback=answering(asked, answer))
    assert found.startswith("Error [script_stopped]: order: The user ")
    assert (len(asked), shop.done) == (1, [])


@ERAS
@pytest.mark.parametrize("code", ["order(article='bell')", "pay(amount=3)"], ids=["allow", "two_step"])
def test_a_script_ends_where_nobody_can_be_asked(era: str, code: str) -> None:
    shop = Shop()
    found = run_one(f"try:\n    {code}\nexcept BaseException:\n    pass\n{code}", era, shop.toolkit())
    assert found.startswith("Error [script_stopped]")
    assert "the user cannot be asked here" in found
    assert shop.done == []


@ERAS
def test_what_was_done_before_the_no_is_told(era: str) -> None:
    shop, asked = Shop(), list[str]()
    code = "order(article='bell')\nprint('one')\norder(article='saddle')"
    found = run_one(code, era, shop.toolkit(), elicitation_callback=answering(asked, "accept", "decline"))
    assert "Calls made before: 2." in found
    assert "It had printed:\none" in found
    assert shop.done == ["order bell"]


def test_an_answer_to_a_script_that_no_longer_waits_runs_nothing() -> None:
    import mcp_types as types

    shop = Shop()

    async def work(client: Client) -> Any:
        params = types.CallToolRequestParams(
            name="run_code",
            arguments={"code": "order(article='bell')"},
            input_responses={"toolgen/asked": types.ElicitResult(action="accept", content={"confirm": True})},
        )
        return await client.session.send_request(types.CallToolRequest(params=params), types.CallToolResult)

    found = talk(work, "auto", shop.toolkit(), elicitation_callback=answering([], "accept"))
    assert found.is_error
    assert "no longer waits" in found.content[0].text
    assert shop.done == []


def test_scopes_are_those_of_the_caller() -> None:
    shop = Shop()
    assert "insufficient_scope" in run_one("wipe()", tools=shop.toolkit())
    assert shop.done == []


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
            "feed time limit exceeded",
        ),
        ("while True: x = undefined if False else get_price\n", "limit exceeded"),
    ],
)
def test_a_script_is_bounded_in_time(code: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "SECONDS", 0.5)
    assert text in run_one(code)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("x = []\nwhile True: x.append('x' * 10_000)", "memory limit exceeded"),
        ("for _ in range(1_000): get_price(article='a')", "It made more than 100 calls."),
        ("def f(): return f()\nf()", "RecursionError"),
        ("open('/etc/passwd').read()", "PermissionError"),
        ("import threading", "No module named 'threading'"),
    ],
)
def test_a_script_is_bounded(code: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "SECONDS", PATIENCE)
    assert text in run_one(code)


def test_what_is_printed_is_cut() -> None:
    found = run_one("for _ in range(1_000): print('x' * 100)\n1")
    assert found["printed"].endswith("[cut: the first 20000 of 101000 characters]")
    assert found["result"] == 1


def test_calls_are_bounded_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkit, "TOTAL_SECONDS", 0.3)
    found = run_one("for _ in range(50):\n    try: wait(seconds=0.1)\n    except BaseException: pass")
    assert found.startswith("Error [script_stopped]: Its calls took more than 0.3 seconds.")


def test_a_script_that_loops_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "SECONDS", PATIENCE)

    async def work(client: Client) -> tuple[bool, Any]:
        looping = asyncio.create_task(run(client, "wait(seconds=0)\nwhile True: pass"))
        found = await run(client, "get_price(article='bell')")
        was_done = looping.done()
        looping.cancel()
        await asyncio.wait([looping])
        return was_done, found

    was_done, found = talk(work)
    assert not was_done
    assert found["result"] == {"amount": 6.0}


def test_values_that_are_no_json_become_text() -> None:
    found = run_one("[(1, 2), {3}, {4: float('nan')}, 2 ** 5000, get_price]")["result"]
    assert found[:4] == [[1, 2], [3], {"4": "nan"}, "an integer of 5001 bits"]


SHARED = "text = 'x' * 1_000\npart = [text] * 50\nfor _ in range(2): part = [part] * 50\n"
"""A list of 125,000 texts, 125 MB as JSON, that takes a few kilobytes in the sandbox."""


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("part", "The result is larger than"),
        ("key = (text,) * 50\nfor _ in range(2): key = (key,) * 50\n{key: 1}", "The result is larger than"),
        ("class Point: pass\npoint = Point()\npoint.x = part\npoint", "The result is larger than"),
        ("get_price(article=part)", "The arguments are larger than"),
        ("many = ['x' * 1_000_000] * 10\nget_price(a=many[:3], b=many[:3])", "The arguments are larger than"),
    ],
)
def test_shared_parts_of_a_value_count_each_time(
    code: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    json_of = script.json_of

    def counted(*args: Any, **options: Any) -> Any:
        seen.append(1)
        return json_of(*args, **options)

    monkeypatch.setattr(script, "json_of", counted)
    found = run_one(SHARED + code)
    assert text in found
    assert len(found) < 10_000
    assert len(seen) <= 20_000


def test_no_script_acts_unasked() -> None:
    """A sample: `python -m tests.code_mode.adversary` runs 1,000 scripts."""
    found = asyncio.run(attack(16))
    assert found.unasked == []
    assert found.acted["cannot be asked"] == found.acted["says no"] == 0
    assert found.acted["agrees"] > 0


@pytest.mark.slow
def test_the_adversary_finds_a_call_that_does_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unasked(self: toolkit.ScriptCalls, tool: str, arguments: Any) -> Any:
        return (await self.toolkit.call(tool, arguments)).content

    monkeypatch.setattr(toolkit.ScriptCalls, "_answer", unasked)
    assert asyncio.run(attack(8)).unasked
