"""The user's word before a tool acts: the question, the answer, one-time tokens. Everything fails closed."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolgen.runtime.text import quote

TOKEN_SECONDS = 600
TOKENS_KEPT = 1000  # unanswered questions; the oldest is forgotten first
SHOWN = 200  # characters of a value in a message

_PLACEHOLDER = re.compile(r"\{([^{}|]+)(\|count)?\}")
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the user is asked."""

    tool_name: str
    message: str
    arguments: Mapping[str, Any]  # as the caller sent them, checked
    preview: str | None = None  # what would happen, in the tool's own words


Confirm: TypeAlias = Callable[[Confirmation], Awaitable[bool]]


class ConfirmationPending(Exception):  # noqa: N818  it is no error
    """Raised by an adapter's `confirm` to leave a call unanswered. It passes through `Toolkit.call`.

    The question travels to the user, and the call comes again with the answer.
    """

    def __init__(self, confirmation: Confirmation) -> None:
        self.confirmation = confirmation
        super().__init__(confirmation.message)


def render_message(template: str, arguments: Mapping[str, Any]) -> str:
    """The question with `{path.to.value}` and `{list|count}` filled in; any other text stays as it is.

    Values are one line each, at most 200 characters; one that was not given is shown as "(none)".
    """

    def fill(match: re.Match[str]) -> str:
        value = _reach(arguments, match[1].strip())
        if match[2]:
            return str(len(value)) if isinstance(value, list | dict | str) else "0"
        return _say(value)

    return _PLACEHOLDER.sub(fill, template)


def _reach(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _ABSENT
    return value


def _say(value: Any) -> str:
    if value is _ABSENT or value is None:
        return "(none)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return quote(text, SHOWN)[1:-1].replace('\\"', '"')


class ConfirmationTokens:
    """One-time tokens for calls that wait for the user, kept in this process for ten minutes.

    A token stands for one tool and one set of arguments. Safe to use from several threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, tuple[bytes, float]] = {}  # token → (what it stands for, when it expires)

    def issue(self, tool_name: str, arguments: Mapping[str, Any]) -> str:
        """A new token for this call."""
        token = secrets.token_urlsafe(32)
        now = self._clock()
        with self._lock:
            self._open = {key: entry for key, entry in self._open.items() if entry[1] > now}
            while len(self._open) >= TOKENS_KEPT:
                del self._open[next(iter(self._open))]
            self._open[token] = (_fingerprint(tool_name, arguments), now + TOKEN_SECONDS)
        return token

    def redeem(self, token: str, tool_name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether `token` was issued for this very call. It is used up, whatever the answer."""
        with self._lock:
            entry = self._open.pop(token, None)
        return (
            entry is not None and entry[1] > self._clock() and entry[0] == _fingerprint(tool_name, arguments)
        )


def _fingerprint(tool_name: str, arguments: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps([tool_name, arguments], sort_keys=True).encode()).digest()
