"""Judge what an upstream lists by its lock: which tools may be called, and why the others may not."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from toolgen.comparing.lock import read_lock
from toolgen.escaping.characters import printable
from toolgen.files import read_named
from toolgen.importers.imported_tool import SourceError
from toolgen.mcp_client.listing import Listing, refuse_unnamed
from toolgen.runtime.errors import MissingDependencyError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.suggestions import quoted

_MAX_TEXT = 500  # characters of a reason that a log record has


class Firewall:
    """The lock of an upstream. A tool that differs from it in a way that breaks callers is refused."""

    def __init__(self, lock: Path, texts: Literal["refuse", "log"]) -> None:
        self._lock, self._texts = lock, texts
        self._pinned: Listing | None = None
        self._verdicts: dict[str, str | None] = {}  # by definition: why it is refused; None: it is not

    async def judge(self, name: str, listed: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
        """Return the tools of the lock that must not be called, each with the reason.

        `name` is that of the server. Raises MissingDependencyError if the lock cannot be read, and
        SourceError if the list is none.
        """
        pinned = self._read()
        refuse_unnamed(listed, "tools", "the upstream")
        if name != pinned.name:
            reason = f"the upstream is now the server {quoted(name, 80)}"
            LOGGER.error("all tools of %s are refused: %s", quoted(pinned.name), printable(reason))
            return dict.fromkeys((tool["name"] for tool in pinned.tools), f"{reason}.")
        numbers = Counter(tool["name"] for tool in listed)
        by_name = {tool["name"]: tool for tool in listed}
        refused: dict[str, str] = {}
        for tool in pinned.tools:
            own = tool["name"]
            if numbers[own] != 1:
                how = "listed more than once" if numbers[own] else "no longer listed"
                refused[own] = f"it is {how} by the server behind it."
            elif json.dumps(tool) != json.dumps(by_name[own]):
                # a schema may be expensive to compare, and other calls must not wait
                why = await asyncio.to_thread(self._verdict, tool, by_name[own])
                if why is not None:
                    refused[own] = why
        return refused

    def _read(self) -> Listing:
        if self._pinned is None:
            try:
                self._pinned = read_lock(read_named(self._lock), self._lock.name)
            except (OSError, SourceError) as error:
                text = f"The lock of the upstream, {self._lock.name}, cannot be read."
                raise MissingDependencyError(text, details={"name": self._lock.name}) from error
        return self._pinned

    def _verdict(self, pinned: Mapping[str, Any], listed: Mapping[str, Any]) -> str | None:
        key = json.dumps(listed)
        if key not in self._verdicts:
            if len(self._verdicts) >= 10_000:  # an upstream that never lists the same twice
                self._verdicts.clear()
            self._verdicts[key] = self._judged(pinned, listed)
        return self._verdicts[key]

    def _judged(self, pinned: Mapping[str, Any], listed: Mapping[str, Any]) -> str | None:
        # only when something differs: comparing needs a third of toolgen
        from toolgen.comparing.server_drift import judge_tool

        name = quoted(pinned["name"])
        try:
            drift = judge_tool(
                pinned, listed, allow_texts=self._texts == "log", today=datetime.now(UTC).date()
            )
        except Exception as error:  # what cannot be judged is not called
            LOGGER.error(
                "%s is refused: what its upstream lists now cannot be judged: %s", name, type(error).__name__
            )
            return "what the server behind it lists now cannot be judged."
        for finding in drift.passed:
            LOGGER.warning(
                "%s has drifted from the lock: [%s] %s", name, finding.code, _shown(finding.message)
            )
        for finding in drift.failed:
            LOGGER.error("%s is refused: [%s] %s", name, finding.code, _shown(finding.message))
        if not drift.failed:
            return None
        codes = ", ".join(sorted({finding.code for finding in drift.failed}))
        return f"the server behind it has changed it since it was reviewed ({codes})."


def _shown(message: str) -> str:
    return printable(message)[:_MAX_TEXT]
