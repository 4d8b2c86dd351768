"""The log says what a process is, why it stops, and during which calls the one before it died."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import pytest
from toolgen.runtime.process_record import changed_settings
from toolgen.runtime.settings import Settings

from tests.end_to_end.project import HttpServer, Project
from tests.end_to_end.raw_http import connect

BODY = """
async def execute(self, request, context):
    import asyncio, os, threading
    if request.how == "exit":
        os._exit(3)
    if request.how == "thread":
        threading.Thread(target=lambda: 1 / 0).start()
    await asyncio.sleep(300 if request.how == "hang" else 0)
"""
KEY = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTAwMDA="


@pytest.fixture
def shop(project: Project) -> Project:
    project.add_plain_tool("refund", BODY, properties="how: {type: string}")
    project.generate()
    return project


async def end_during(server: HttpServer, how: str) -> None:
    """Begin a call, and end the process if the call does not."""
    async with connect(server.url) as connection:
        await connection.call("refund", how="thread")
        await connection.send("tools/call", {"name": "refund", "arguments": {"how": how}})
        await asyncio.sleep(1)
        server.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(server.process.wait, 60)


async def test_the_log_names_the_calls_of_a_process_that_died(shop: Project) -> None:
    """Each line is JSON, also those for the person at the terminal. The calls are named once."""
    env: dict[str, Any] = {
        "TOOLGEN_LOG_FORMAT": "json",
        "TOOLGEN_IN_FLIGHT": "in-flight",
        "TOOLGEN_LOGLEVEL": "debug",
        "TOOLGEN_RATE_LIMIT_STORE": "redis://ann:pass-word@127.0.0.1:1",
    }
    logs: list[list[dict[str, Any]]] = []
    for how in ("exit", "hang", "none"):
        async with shop.server("--grace", "0", **env) as server:
            await end_during(server, how)
        assert "pass-word" not in server.log
        logs.append([json.loads(line) for line in server.log.splitlines()])
    texts = [" ".join(each["message"] for each in log) for log in logs]
    events = [{each.get("event"): each for each in log} for log in logs]

    assert "did you mean 'TOOLGEN_LOG_LEVEL'?" in texts[0]
    assert "degraded: rate limit store: Redis: " in texts[0]
    assert events[0]["started"]["stores"]["rate_limit_store"] == "redis"
    assert "stopped" not in events[0]
    assert [each["tool_name"] for each in events[1]["crashed"]["calls"]] == ["refund"]
    assert events[1]["stopping"]["reason"] == "SIGTERM"
    assert [each["tool_name"] for each in events[1]["stopping"]["calls"]] == ["refund"]
    assert events[1]["stopped"]["exit_code"] == 0
    assert "crashed" not in events[2]


def test_settings_are_shown_without_secrets() -> None:
    shown = changed_settings(
        Settings(threads=8, confirmation_key=KEY, auth_jwks="https://ann:pass-word@keys.example.com/jwks")
    )

    assert shown["threads"] == 8
    assert shown["auth_jwks"] == "https://keys.example.com/jwks"
    assert len(shown["confirmation_key"]) == 8
    assert shown.keys() == {"threads", "confirmation_key", "auth_jwks"}
