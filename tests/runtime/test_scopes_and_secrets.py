"""Scopes of the caller, secrets of the application: refused without them, and secrets told to nobody."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from toolgen.runtime import ToolConfig, ToolError

from tests.runtime.tool_factory import code_of, make_tool, run

KEY = "s3cr3t-k3y-of-the-shop"
SECRETS = {"secrets": ["SHOP_API_KEY"]}


async def uses(self: Any, request: Any, context: Any) -> Any:
    return len(context.secrets["SHOP_API_KEY"])


async def nothing(self: Any, request: Any, context: Any) -> Any:
    return 1


def test_a_caller_without_the_scopes_is_refused() -> None:
    tool = make_tool(nothing, auth={"scopes": ["orders:write", "orders:read"]})
    response = run(tool, {}, scopes=frozenset({"orders:read"}))
    assert response.as_text() == (
        "Error [insufficient_scope]: x needs permissions that this caller lacks: orders:write."
    )
    assert response.error is not None
    assert response.error.details == {"missing": ["orders:write"]}
    assert run(tool, {}, scopes=frozenset({"orders:read", "orders:write", "more"})).content == 1
    assert code_of(run(tool, {}, scopes=frozenset())) == "insufficient_scope"


def test_a_caller_of_whom_nothing_is_said_is_refused() -> None:
    tool = make_tool(nothing, auth={"scopes": ["orders:write"]})
    assert code_of(run(tool, {})) == "insufficient_scope"
    assert run(make_tool(nothing, auth={"scopes": []}), {}).content == 1


def test_who_may_not_call_learns_nothing_about_the_arguments() -> None:
    tool = make_tool(nothing, auth={"scopes": ["a"]}, input_schema={"type": "object", "required": ["b"]})
    assert code_of(run(tool, {}, scopes=frozenset())) == "insufficient_scope"


@pytest.mark.parametrize("value", [None, ""])
def test_a_secret_that_is_not_set_is_named(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SHOP_API_KEY", value)
    response = run(make_tool(uses, auth=SECRETS))
    assert code_of(response) == "missing_dependency"
    assert "SHOP_API_KEY" in response.as_text()


class RefusedError(ToolError):
    code = "refused"


def test_a_secret_is_in_no_error_and_no_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    async def execute(self: Any, request: Any, context: Any) -> Any:
        key = context.secrets["SHOP_API_KEY"]
        context.logger.info("calling with %s", key)
        context.logger.info("by name %(key)s", {"key": key})
        try:
            raise OSError(f"401 for {key}")
        except OSError:
            context.logger.exception("it failed with %d %s", "no number", key)
        if request.how == "told":
            raise RefusedError(f"refused {key}", details={"sent": [key], key: 1})
        raise ValueError(f"https://api.example.com?key={key}")

    tool = make_tool(execute, auth=SECRETS, errors=(RefusedError,))
    reported = run(tool, {"how": "told"})
    assert reported.as_text() == "Error [refused]: refused [secret]"
    assert reported.error is not None
    assert reported.error.details == {"sent": ["[secret]"], "[secret]": 1}
    assert code_of(run(tool, {"how": "raised"})) == "internal_error"
    assert "https://api.example.com?key=[secret]" in caplog.text
    assert "calling with [secret]" in caplog.text
    assert "Traceback" in caplog.text
    assert KEY not in caplog.text
    assert {record.funcName for record in caplog.records if "calling" in record.message} == {"execute"}


def test_the_context_does_not_show_secrets_where_it_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", KEY)

    async def execute(self: Any, request: Any, context: Any) -> Any:
        return repr(context)

    assert KEY not in run(make_tool(execute, auth=SECRETS), config=ToolConfig()).content
