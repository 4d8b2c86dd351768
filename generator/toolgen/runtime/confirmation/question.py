"""The question that a user is asked before a tool acts, and what was approved."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolgen.runtime.text import printable, quote

SHOWN = 200  # characters of a value in a message

_PLACEHOLDER = re.compile(r"\{([^{}|]+)(\|count)?\}")
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question to the user. Nothing in `message` or `preview` but line breaks is invisible."""

    tool_name: str
    message: str
    arguments: Mapping[str, Any]  # as the caller sent them, checked
    preview: str | None = None  # what would happen, in the tool's own words


@dataclass(frozen=True, slots=True)
class Approval:
    """What the user approved, for `execute` to compare with what it would do."""

    preview: str | None  # exactly the text that the tool's `preview` gave; None if it has none
    message: str
    principal: str | None  # the caller who was asked, where known


Confirm: TypeAlias = Callable[[Confirmation], Awaitable[bool]]


class ConfirmationPending(Exception):  # noqa: N818  not an error
    """Raised by an application's `confirm` to leave a call unanswered. It passes through `Toolkit.call`.

    The runtime puts `token` in: keep it, ask the user, and repeat the call, in any process that has the key,
    with `confirmation_token=token` if the user agrees; `Toolkit.decline(token)` if not. The token means "the
    user approved exactly this": give it to no model.
    """

    def __init__(self, confirmation: Confirmation) -> None:
        self.confirmation = confirmation
        self.token: str | None = None  # set by the time that the application catches this
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


def displayed_preview(preview: str, arguments: Mapping[str, Any]) -> str:
    """Return a preview as the user may see it.

    Control, bidirectional and other invisible characters are escaped, but for the preview's own line breaks
    and tabs. An argument that has lines of its own and stands in the preview unchanged is put in one line:
    it could pass for lines of the tool's.
    """
    for text in sorted(set(_texts_of_lines(arguments)), key=len, reverse=True):
        preview = preview.replace(text, printable(text))
    return printable(preview, keep="\n\t")


def _texts_of_lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        text = value.strip()
        if "\n" in text:
            yield text
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts_of_lines(key)
            yield from _texts_of_lines(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of_lines(inner)


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
