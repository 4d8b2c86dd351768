"""A load of both protocol eras, by clients that do what a client must do when a server is lost.

A request that was refused, or whose session is gone, was not executed: it is sent again. One that was sent
and not answered is sent again only if it is idempotent, or has a key; else its outcome is unknown.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from tests.replicas.http_client import HttpClient, RefusedError, SentError

REPEATABLE = frozenset({"look", "find", "order"})
STOPPED = "JSON-RPC -32000"  # the call was ended by a server that stops
NOT_DONE = frozenset({"not_ready", "overloaded", "rate_limited", "confirmation_required"})
TRIES = 40
PAUSE = 0.25  # seconds before the next try
CALL_SECONDS = 90.0
KEY_META = "toolgen/idempotency_key"
TOKEN_META = "toolgen/confirmation_token"


@dataclass
class Tally:
    """How the calls ended."""

    sent: int = 0
    ended: dict[int, str] = field(default_factory=dict)  # number → answered, outcome_unknown, or an error
    tools: dict[int, str] = field(default_factory=dict)
    eras: dict[int, str] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)  # of what clients had to cope with

    def counts(self, era: str, tool: str) -> Counter[str]:
        """Return the ends of the calls of a tool by clients of an era."""
        return Counter(
            end
            for number, end in self.ended.items()
            if (self.eras[number], self.tools[number]) == (era, tool)
        )


@dataclass
class Load:
    """Clients that make `calls` calls in all; `tools` in turn."""

    url: str
    calls: int
    tools: tuple[str, ...] = ("look", "pay", "order")
    tally: Tally = field(default_factory=Tally)
    name: str = field(default_factory=lambda: token_hex(4))  # begins the keys of its calls

    async def run(self, *, modern: int = 8, legacy: int = 8) -> Tally:
        """Make all calls."""
        clients = [Client(self, "modern") for _ in range(modern)] + [
            Client(self, "legacy") for _ in range(legacy)
        ]
        await asyncio.gather(*(each.work() for each in clients))
        return self.tally

    def next_call(self, era: str) -> int | None:
        """Return the number of the next call; None after the last one."""
        tally = self.tally
        if tally.sent >= self.calls:
            return None
        tally.sent += 1
        number = tally.sent
        tally.tools[number] = self.tools[number % len(self.tools)]
        tally.eras[number] = era
        return number


class Client(HttpClient):
    """A client of a load."""

    def __init__(self, load: Load, era: str) -> None:
        super().__init__(load.url, era)
        self.load = load

    async def work(self) -> None:
        """Make calls until there are enough."""
        while (number := self.load.next_call(self.era)) is not None:
            began = time.perf_counter()
            end = await self._call(number, self.load.tally.tools[number])
            self.load.tally.ended[number] = end
            self.load.tally.seconds[number] = time.perf_counter() - began
        self.close()

    async def _call(self, number: int, tool: str) -> str:
        events = self.load.tally.events
        for _ in range(TRIES):
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    if self.era == "legacy" and not self.session:
                        events["sessions opened"] += 1
                    answer = await self._answer(number, tool)
            except RefusedError as error:
                events[f"refused: {error}"] += 1
            except (SentError, TimeoutError) as error:
                events[f"lost: {error or 'no answer in time'}"] += 1
                self.close()
                if tool not in REPEATABLE:
                    return "outcome_unknown"
            else:
                end = _end_of(answer, number)
                if end == STOPPED and tool not in REPEATABLE:
                    return "outcome_unknown"
                if end != STOPPED and end not in NOT_DONE:
                    return end
                events[f"repeated: {end}"] += 1
            await asyncio.sleep(PAUSE)
        return "no answer"

    async def _answer(self, number: int, tool: str) -> dict[str, Any]:
        """Make a call; agree to what its user is asked."""
        params = self._params(number, tool)
        answer = await self.request("tools/call", params)
        question = answer.get("result", {}).get("_meta", {}).get("toolgen/confirmation")
        if not question:
            return answer
        params["_meta"] = {**params.get("_meta", {}), TOKEN_META: question["token"]}
        return await self.request("tools/call", params)

    def _params(self, number: int, tool: str) -> dict[str, Any]:
        params: dict[str, Any] = {"name": tool, "arguments": {"number": number}}
        if tool == "order":
            params["_meta"] = {KEY_META: f"{self.load.name}-{number}"}
        return params


def _end_of(answer: dict[str, Any], number: int) -> str:
    """Return how a call ended by its answer: answered, an error code, or what is wrong."""
    if "error" in answer:
        return f"JSON-RPC {answer['error'].get('code')}"
    result = answer.get("result", {})
    if result.get("isError"):
        return str(result.get("_meta", {}).get("toolgen/error", {}).get("code", "error"))
    return "answered" if result.get("structuredContent") == {"number": number} else f"wrong: {answer}"[:200]
