"""Injected values: created per call, in the right thread, and closed afterwards."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.runtime.tool_factory import code_of, make_tool, run

LOG: list[str] = []


class Session:
    """An async context manager, as HTTP clients are."""

    async def __aenter__(self) -> str:
        LOG.append("open")
        return "session"

    async def __aexit__(self, *problem: object) -> None:
        LOG.append("failed" if problem[0] else "closed")


@asynccontextmanager
async def managed(name: str = "managed") -> AsyncIterator[str]:
    LOG.append("open")
    try:
        yield name
    finally:
        LOG.append("closed")


async def awaited() -> str:
    return "awaited"


class Maker:
    def method(self) -> str:
        return "method"

    def __call__(self) -> str:
        return "called"


MAKER = Maker()

ENTRIES: list[tuple[Any, Any]] = [
    ("value", "value"),
    (None, None),
    (MAKER.method, "method"),
    (awaited, "awaited"),
    (managed, "managed"),
    (Session, "session"),
    (functools.partial(managed, "partial"), "partial"),
]


@pytest.fixture(autouse=True)
def empty_log() -> None:
    LOG.clear()


def tool_with_x(*, plain: bool) -> tuple[Any, list[Any]]:
    seen: list[Any] = []

    def in_worker(self: Any, request: Any, context: Any, *, x: Any) -> int:
        seen.append(x)
        return 1

    async def in_loop(self: Any, request: Any, context: Any, *, x: Any) -> int:
        return in_worker(self, request, context, x=x)

    execute = in_worker if plain else in_loop
    return make_tool(execute, inject=[{"name": "x", "type": "typing.Any"}]), seen


@pytest.mark.parametrize(("entry", "value"), ENTRIES)
@pytest.mark.parametrize("plain", [False, True])
def test_every_kind_of_context_entry_is_injected(entry: Any, value: Any, plain: bool) -> None:
    tool, seen = tool_with_x(plain=plain)
    response = run(tool, context={"x": entry})
    assert (response.content, seen) == (1, [value])
    assert LOG in ([], ["open", "closed"])


@pytest.mark.parametrize("plain", [False, True])
def test_a_factory_that_fails_is_an_internal_error(plain: bool, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> None:
        raise OSError("no such host db.internal")

    tool, seen = tool_with_x(plain=plain)
    response = run(tool, context={"x": broken})
    assert (code_of(response), seen) == ("internal_error", [])
    assert "db.internal" not in response.as_text()
    assert "db.internal" in caplog.text


def test_an_invalid_response_rolls_back_an_injected_transaction(tmp_path: Path) -> None:
    class Answer(BaseModel):
        n: int

    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as db:
        db.execute("create table t (n integer)")

    @asynccontextmanager
    async def transaction() -> AsyncIterator[sqlite3.Connection]:
        db = sqlite3.connect(path)
        try:
            with db:
                yield db
        finally:
            db.close()

    async def execute(self: Any, request: Any, context: Any, *, db: sqlite3.Connection) -> Answer:
        db.execute("insert into t values (?)", (request.n,))
        return Answer(n=request.n)

    tool = make_tool(
        execute,
        response_model=Answer,
        output_schema={"type": "object", "properties": {"n": {"maximum": 5}}},
        inject=[{"name": "db"}],
    )
    codes = [code_of(run(tool, {"n": n}, context={"db": transaction})) for n in (4, 6)]
    assert codes == [None, "invalid_response"]
    assert sqlite3.connect(path).execute("select n from t").fetchall() == [(4,)]


def test_a_context_manager_that_suppresses_exceptions_cannot_fake_success() -> None:
    class Swallows(Session):
        async def __aexit__(self, *problem: object) -> bool:  # type: ignore[override]
            return True

    async def execute(self: Any, request: Any, context: Any, *, x: Any) -> None:
        raise ValueError

    assert (
        code_of(run(make_tool(execute, inject=[{"name": "x"}]), context={"x": Swallows})) == "internal_error"
    )


@pytest.mark.parametrize(
    "execute",
    [
        lambda self, request, context, more: None,
        lambda self, request, context, *, z: None,
    ],
)
def test_execute_with_another_signature_is_refused(execute: Any) -> None:
    with pytest.raises(
        TypeError, match=r"execute must accept \(self, request, context\), as the spec of x says"
    ):
        make_tool(execute)
