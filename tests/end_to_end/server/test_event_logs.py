"""Logs of missed events: what they keep, and that a number never means two events.

With memory and SQLite always; with Redis by `make test-redis`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from toolgen.runtime.stores import event_logs
from toolgen.runtime.stores.event_logs import EventLogs, open_event_logs
from toolgen.serving.transports import missed_events
from toolgen.serving.transports.missed_events import MissedEvents, SessionEvents, binding_of, events_of

from tests.end_to_end.stores import RedisServer


@pytest.fixture(params=["memory", "sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def logs(request: Any, tmp_path: Path) -> Iterator[EventLogs]:
    if request.param == "redis":
        with RedisServer(tmp_path) as server:
            yield open_event_logs(server.url)
    else:
        yield open_event_logs(
            "memory" if request.param == "memory" else f"sqlite:///{tmp_path / 'events.db'}"
        )


def filled(logs: EventLogs, *events: bytes, name: str = "a") -> list[int]:
    return [logs.append(name, event, 60) for event in events]


def test_a_log_returns_an_event_and_those_after_it(logs: EventLogs) -> None:
    numbers = filled(logs, b"one", b"two", b"three")
    filled(logs, b"other", name="b")

    assert numbers == list(range(numbers[0], numbers[0] + 3))
    assert logs.since("a", numbers[0]) == [b"one", b"two", b"three"]
    assert logs.since("a", numbers[2]) == [b"three"]


def test_an_event_that_a_log_has_not_is_unknown(logs: EventLogs) -> None:
    (number,) = filled(logs, b"one")

    for name, other in ("a", number - 1), ("a", number + 1), ("a", 1), ("b", number):
        assert logs.since(name, other) == []


def test_the_oldest_events_go_beyond_a_number(logs: EventLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_logs, "LOG_EVENTS", 3)

    numbers = filled(logs, b"0", b"1", b"2", b"3", b"4")

    assert logs.since("a", numbers[1]) == []
    assert logs.since("a", numbers[2]) == [b"2", b"3", b"4"]


def test_the_oldest_events_go_beyond_a_size(logs: EventLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_logs, "LOG_BYTES", 10)

    numbers = filled(logs, b"0" * 6, b"1" * 5, b"2" * 5)
    assert logs.since("a", numbers[0]) == []
    assert logs.since("a", numbers[1]) == [b"1" * 5, b"2" * 5]

    (large,) = filled(logs, b"3" * 11)
    assert [logs.since("a", number) for number in [*numbers, large]] == [[]] * 4
    assert large == numbers[-1] + 1


def test_an_expired_log_begins_with_numbers_that_it_never_had(logs: EventLogs) -> None:
    old = [logs.append("a", b"old", 1.0) for _ in range(3)]
    time.sleep(2.1)
    assert logs.since("a", old[0]) == []

    new = filled(logs, b"new", b"new", b"new", b"new")

    assert new[0] > old[-1]
    assert all(logs.since("a", number) == [] for number in old)


def test_each_append_extends_the_life_of_the_whole_log(logs: EventLogs) -> None:
    first = logs.append("a", b"one", 1.0)
    filled(logs, b"two")
    time.sleep(1.1)
    filled(logs, b"elsewhere", name="b")

    assert logs.since("a", first) == [b"one", b"two"]


def note(text: str) -> types.JSONRPCNotification:
    return types.JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params={"data": text})


def scope_of(event_id: str) -> dict[str, Any]:
    return {"headers": [(b"last-event-id", event_id.encode())]}


def session_with(*texts: str) -> tuple[MissedEvents, list[str]]:
    """Return a store of events with those of the session `s`, and their ids."""
    events, session = (
        MissedEvents(open_event_logs("memory"), 60),
        SessionEvents(binding_of(b"s", {"headers": []})),
    )

    async def store() -> list[str]:
        with events_of(session):
            return [await events.store_event("1", note(text)) for text in texts]

    return events, asyncio.run(store())


def known(events: MissedEvents, *ids: str) -> list[bool]:
    return [asyncio.run(events.knows(b"s", scope_of(each))) for each in ids]


def test_a_trimmed_event_is_unknown_and_the_absence_of_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_logs, "LOG_EVENTS", 2)

    events, ids = session_with("a", "b", "c")

    assert known(events, *ids, "nonsense", "") == [False, True, True, False, True]


def test_nothing_is_replayed_across_an_event_that_was_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missed_events, "LOG_BYTES", 200)

    events, ids = session_with("a", "b" * 300, "c")

    assert known(events, *ids) == [False, False, True]
