"""Limits of calls: moving windows for each principal, in memory and in SQLite."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import Toolkit
from toolgen.runtime.rate_limits import RateLimits
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores.store import StoreError

from tests.runtime.tool_factory import code_of, make_tool


async def act(self: Any, request: Any, context: Any) -> str:
    return "done"


def limited(**more: Any) -> Toolkit:
    return Toolkit([make_tool(act, rate_limit={"per_minute": 3}, **more)])


@pytest.fixture(params=["memory", "sqlite"])
def store(request: Any, tmp_path: Path) -> str:
    return "memory" if request.param == "memory" else f"sqlite:///{tmp_path}/limits.sqlite3"


async def test_each_principal_has_a_limit_of_its_own_and_learns_how_long_to_wait() -> None:
    toolkit = limited()
    names = ["ann"] * 3 + ["bob", None, "ann"]
    *answered, refused = [await toolkit.call("x", {}, principal=each) for each in names]
    assert [code_of(each) for each in answered] == [None] * 5
    assert code_of(refused) == "rate_limited"
    assert refused.error.retryable
    assert 50 < refused.error.retry_after <= 60


async def test_a_question_to_the_user_is_not_counted() -> None:
    toolkit = limited(confirm={"message": "Sure?", "on_unsupported": "two_step"})
    codes = [code_of(await toolkit.call("x", {})) for _ in range(5)]
    asked = await toolkit.call("x", {})
    token = asked.metadata["confirmation"]["token"]
    found = [*codes, code_of(await toolkit.call("x", {}, confirmation_token=token))]
    assert found == ["confirmation_required"] * 5 + [None]


async def test_a_window_moves(store: str) -> None:
    limits = RateLimits.from_setting(store)
    seen = [await limits.take({"per_second": 2}, "x") is None for _ in range(6)]
    await asyncio.sleep(1.05)
    seen.append(await limits.take({"per_second": 2}, "x") is None)
    assert seen == [True, True, False, False, False, False, True]


async def test_calls_that_the_second_refuses_do_not_use_up_the_minute(store: str) -> None:
    limits = RateLimits.from_setting(store)
    for _ in range(50):
        await limits.take({"per_second": 1, "per_minute": 3}, "x")
    await asyncio.sleep(1.05)
    assert await limits.take({"per_second": 1, "per_minute": 3}, "x") is None


async def test_a_store_that_fails_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> Any:
        raise StoreError("down")

    monkeypatch.setattr(RateLimits, "take", fail)
    response = await limited().call("x", {})
    assert code_of(response) == "rate_limited"
    assert response.error is not None
    assert "could not be checked" in response.error.message


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("10/second, 600/minute", {"per_second": 10, "per_minute": 600}),
        ("0/second", None),
        ("1/hour", None),
    ],
)
def test_the_limit_of_a_server_is_parsed(text: str, parsed: Any) -> None:
    if parsed is None:
        with pytest.raises(SettingError, match="TOOLGEN_RATE_LIMIT must be limits such as"):
            Settings.from_environment({"TOOLGEN_RATE_LIMIT": text})
    else:
        assert Settings.from_environment({"TOOLGEN_RATE_LIMIT": text}).rate_limit == parsed
