"""Judge what an upstream lists by its lock: which tools may be called, and why the others may not."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen.base.escaping.characters import printable
from toolgen.base.files import read_named
from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.lock import read_lock
from toolgen.runtime.errors import MissingDependencyError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.schema.document import JsonObject
from toolgen.serving.uri_templates import matches, may_have
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.listing import LISTS, Listing

if TYPE_CHECKING:
    from toolgen.changes.comparing.server_drift import Drift

FEATURES: Final = tuple(key for key in LISTS if key != "tools")
_MAX_TEXT: Final = 500  # characters of a reason that a log record has
_MAX_VERDICTS: Final = 10_000  # that are remembered


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request is about: the list that has it, as in `Listing`, and its name there."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class FeatureVerdicts:
    """Which resources, resource templates and prompts of an upstream may be used."""

    other_server: str = ""  # why nothing may be used; empty: the server is that of the lock
    refused: Mapping[Subject, str] = field(default_factory=dict)  # with the reason
    passed: frozenset[Subject] = frozenset()

    def why_refused(self, subject: Subject | None) -> str | None:
        """Return why a resource, a template or a prompt must not be used; None if it may."""
        if self.other_server or subject is None:
            return self.other_server or None
        skills = (each.name for each in self.refused if each.key == "skills")
        if subject.key == "resources" and any(may_have(each, subject.name) for each in skills):
            return "the skill that has it is not the one that was approved."
        if subject in self.refused or subject in self.passed or subject.key != "resources":
            return self.refused.get(subject)
        # a resource that is not listed is that of a template, and none that is refused may have it
        templates = (each for each in self.refused if each.key == "resource_templates")
        return next((self.refused[each] for each in templates if matches(each.name, subject.name)), None)


class Firewall:
    """The lock of an upstream. What differs from it in a way that breaks callers is refused."""

    def __init__(self, lock: Path, texts: Literal["refuse", "log"]) -> None:
        self._lock, self._texts = lock, texts
        self._pinned: Listing | None = None
        self._pinned_features: dict[Subject, list[JsonObject]] = {}
        self._verdicts: dict[str, str | None] = {}  # by definition: why it is refused; None: it is not

    async def judge(self, name: str, listed: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
        """Return the tools of the lock that must not be called, each with the reason.

        `name` is that of the server. Raises MissingDependencyError if the lock cannot be read.
        """
        pinned = self._read()
        if reason := self._other_server(name, "tools"):
            return dict.fromkeys((tool["name"] for tool in pinned.tools), reason)
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
                why = await asyncio.to_thread(self._verdict, "tools", tool, by_name[own])
                if why is not None:
                    refused[own] = why
        return refused

    async def judge_features(self, name: str, lists: Mapping[str, Sequence[JsonObject]]) -> FeatureVerdicts:
        """Return which resources, templates and prompts of a server may be used. Raises as `judge`."""
        pinned = self._read()
        if reason := self._other_server(name, "resources and prompts"):
            return FeatureVerdicts(reason)
        refused: dict[Subject, str] = {}
        passed: set[Subject] = set()
        for key in FEATURES:
            for each in lists.get(key, ()):
                subject = Subject(key, each[LISTS[key]])
                why = await self.verdict(key, each)
                if why is None:
                    passed.add(subject)
                else:
                    refused[subject] = why
            for each in getattr(pinned, key):
                subject = Subject(key, each[LISTS[key]])
                if subject not in passed:
                    refused.setdefault(subject, "it is no longer listed by the server behind it.")
        return FeatureVerdicts("", refused, frozenset(passed - refused.keys()))

    async def verdict(self, key: str, listed: JsonObject) -> str | None:
        """Return why a resource, template or prompt must not be used, by its definition; None if it may."""
        pinned = self._pinned_features.get(Subject(key, listed[LISTS[key]]), [])
        if listed in pinned:
            return None
        return await asyncio.to_thread(self._verdict, key, pinned, listed)

    def _other_server(self, name: str, what: str) -> str:
        """Return that the upstream is another server than that of the lock; empty if it is not."""
        pinned = self._read()
        if name == pinned.name:
            return ""
        reason = f"the upstream is now the server {quoted(name)}"
        LOGGER.error("all %s of %s are refused: %s", what, quoted(pinned.name), printable(reason))
        return f"{reason}."

    def _read(self) -> Listing:
        if self._pinned is None:
            try:
                self._pinned = read_lock(read_named(self._lock), self._lock.name)
            except (OSError, SourceError) as error:
                text = f"The lock of the upstream, {self._lock.name}, cannot be read."
                raise MissingDependencyError(text, details={"name": self._lock.name}) from error
            for key in FEATURES:
                for each in getattr(self._pinned, key):
                    self._pinned_features.setdefault(Subject(key, each[LISTS[key]]), []).append(each)
        return self._pinned

    def _verdict(self, key: str, pinned: Any, listed: Mapping[str, Any]) -> str | None:
        """Judge a definition by those of the lock. `pinned` is one tool, or all others of the name."""
        text = f"{key} {json.dumps(listed)}"
        if text not in self._verdicts:
            # only when something differs: comparing needs a third of toolgen
            from toolgen.changes.comparing.feature_drift import judge_feature
            from toolgen.changes.comparing.server_drift import judge_tool

            judge = partial(judge_tool, pinned) if key == "tools" else partial(judge_feature, key, pinned)
            if len(self._verdicts) >= _MAX_VERDICTS:  # an upstream that never lists the same twice
                self._verdicts.clear()
            self._verdicts[text] = self._judged(str(listed[LISTS[key]]), partial(judge, listed))
        return self._verdicts[text]

    def _judged(self, own: str, judge: Callable[..., Drift]) -> str | None:
        name = quoted(own)
        try:
            drift = judge(allow_texts=self._texts == "log", today=datetime.now(UTC).date())
        except Exception as error:  # what cannot be judged is not used
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
    return printable(message[:_MAX_TEXT])[:_MAX_TEXT]
