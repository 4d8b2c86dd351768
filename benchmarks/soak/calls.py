"""The calls of the soak test: those that must be answered correctly, and those of tools that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.replicas.http_client import HttpClient, RefusedError, SentError

from .project import BODIES, PATIENCE, PAUSES

ERAS: Final = ("modern", "legacy")
MIX: Final = ("echo", "echo", "keyed", "echo", "waiting", "echo", "limited", "echo", "lines", "refused")
SECONDS: Final = 120.0  # for one call
_TOOLS: Final = {"refused": "echo"}
_KEY: Final = "toolgen/idempotency_key"


@dataclass
class Soak:
    """Figures of a run."""

    url: str
    calls: int
    sent: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)

    async def callers(self, count: int) -> None:
        """Make all calls that must be answered correctly, `count` at a time, half of them in each era."""
        await asyncio.gather(*(self._caller(ERAS[number % 2]) for number in range(count)))

    async def _caller(self, era: str) -> None:
        client = HttpClient(self.url, era)
        while self.sent < self.calls:
            self.sent += 1
            number = self.sent
            kind = MIX[number % len(MIX)]
            try:
                answer = await self._answer(client, kind, number)
            except (OSError, EOFError, TimeoutError, ValueError, SentError, RefusedError) as error:
                self.lost.append(f"{era} {kind} {number}: {error!r}")
                client.close()
            else:
                if _is_right(kind, number, answer):
                    self.right += 1
                else:
                    self.wrong.append(f"{era} {kind} {number}: {json.dumps(answer)[:300]}")
        client.close()

    async def _answer(self, client: HttpClient, kind: str, number: int) -> dict[str, Any]:
        arguments: dict[str, Any] = {"number": "many" if kind == "refused" else number}
        params: dict[str, Any] = {"name": _TOOLS.get(kind, kind), "arguments": arguments}
        if kind == "keyed":
            params["_meta"] = {_KEY: f"soak-{number}"}
        async with asyncio.timeout(SECONDS):
            return await client.request("tools/call", params)

    async def misbehave(self, tool: str) -> None:
        """Call a misbehaving tool again and again, in each era, until the task is cancelled."""
        number = 0
        while True:
            number += 1
            client = HttpClient(self.url, ERAS[number % 2])
            with contextlib.suppress(OSError, EOFError, ValueError, SentError, RefusedError):
                try:
                    async with asyncio.timeout(PATIENCE.get(tool, 60)):
                        params = {"name": tool, "arguments": {"number": number}}
                        answer = await client.request("tools/call", params)
                    code = _code(answer) or str(answer.get("error", "answered"))[:60]
                    self.others[f"{tool}: {code}"] += 1
                except TimeoutError:
                    self.others[f"{tool}: disconnected"] += 1
                finally:
                    client.close()
            await asyncio.sleep(PAUSES.get(tool, 1.0))

    def misbehaving(self) -> list[asyncio.Task[None]]:
        """Start the calls of all tools that misbehave."""
        return [asyncio.create_task(self.misbehave(name)) for name in BODIES if name not in MIX]


def _code(answer: dict[str, Any]) -> str | None:
    code: str | None = answer.get("result", {}).get("_meta", {}).get("toolgen/error", {}).get("code")
    return code


def _is_right(kind: str, number: int, answer: dict[str, Any]) -> bool:
    return _RIGHT.get(kind, _has_number)(number, answer)


def _has_number(number: int, answer: dict[str, Any]) -> bool:
    return bool(answer.get("result", {}).get("structuredContent") == {"number": number})


def _has_lines(number: int, answer: dict[str, Any]) -> bool:
    content = answer.get("result", {}).get("content", [{}])
    return bool(
        content[0].get("text") == json.dumps([f"{number}.{line}" for line in range(3)], separators=(",", ":"))
    )


_RIGHT: Final[dict[str, Callable[[int, dict[str, Any]], bool]]] = {
    "lines": _has_lines,
    "refused": lambda number, answer: _code(answer) == "invalid_request",
}
