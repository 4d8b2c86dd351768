"""Injection by type, and answers of tools without their dependencies."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import ToolError

from tests.runtime.tool_factory import code_of, make_tool, run

DB = [{"name": "db", "type": "sqlite3.Connection"}]


async def asks(self: Any, request: Any, context: Any, *, db: Any) -> Any:
    return db.execute("select 1").fetchone()[0]


@asynccontextmanager
async def managed() -> AsyncIterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    try:
        yield db
    finally:
        db.close()


def connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


@pytest.mark.parametrize("given", [connect, managed])
def test_an_injected_value_is_found_by_type(given: Any) -> None:
    assert run(make_tool(asks, inject=DB), context={sqlite3.Connection: given}).content == 1


def test_a_name_has_precedence_over_a_type() -> None:
    async def execute(self: Any, request: Any, context: Any, *, root: Any) -> Any:
        return str(root)

    tool = make_tool(execute, inject=[{"name": "root", "type": "pathlib.Path"}])
    assert run(tool, context={Path: Path("type"), "root": Path("name")}).content == "name"
    assert run(tool, context={Path: Path("type")}).content == "type"


def test_another_type_is_not_injected() -> None:
    class Other(sqlite3.Connection):
        pass

    for context in ({Other: connect}, {sqlite3.Cursor: connect}, {}):
        assert code_of(run(make_tool(asks, inject=DB), context=context)) == "missing_dependency"
    nowhere = [{"name": "db", "type": "no.such.module.Thing"}]
    assert code_of(run(make_tool(asks, inject=nowhere), context={Other: connect})) == "missing_dependency"


class NoDatabaseError(ToolError):
    code = "missing_dependency"
    description = "The shop is closed."
    hint = "Try again tomorrow."


def test_a_tool_can_declare_missing_dependency_with_its_own_message() -> None:
    response = run(make_tool(asks, inject=DB, errors=(NoDatabaseError,)))
    assert isinstance(response.error, NoDatabaseError)
    assert response.as_text().endswith("\nHint: Try again tomorrow.")
