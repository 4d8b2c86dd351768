"""The outcome of a call as JSON data: everything that it shows, except what the spec says already.

What differs between two calls of the same request is marked, and not compared.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any, Final

from toolgen.schema.document import JsonObject, same_value
from toolgen.testing.json_diff import as_json, snapshot_diff, sorted_json
from toolgen.testing.observation import Observation, ObservedCall
from toolgen.testing.subject import CallResult

VARIES: Final = "__varies__"
"""In a recorded outcome: a value, or a word of a text, that is different each time."""
_WORDS: Final = re.compile(r"\w+|\W")
MAX_TEXT: Final = 4_000
"""Characters of one entry; of longer ones, hash and size are recorded."""
MAX_NEAR_TEXT: Final = 400
"""The same of a request near an example: there are many."""


def outcome_of(seen: Observation) -> JsonObject | None:
    """Return the outcome of an observed request; None if the call itself was not made.

    An output that an example of the spec has is left out, and so is everything that is empty.
    """
    step = seen.first("call")
    if step is None:
        return None
    expected, answer = seen.expected, step.answer
    longest = MAX_TEXT if expected is not None else MAX_NEAR_TEXT
    is_said = expected is not None and expected.has_output and answer.error is None
    entries = {
        "question": list(answer.questions) if seen.expected else None,  # in the words of the spec
        **_previewed(seen, answer),
        "error": _error(step),
        "output": None if is_said or answer.error is not None else answer.content,
        "chunks": list(answer.chunks or ()),
        "blocks": list(answer.blocks),
        "metadata": answer.metadata,
        "extras": answer.extras,
        "progress": list(answer.progress),
        "state": snapshot_diff(step.before, step.after) if step.changed else None,
    }
    said = {key: as_json(value) for key, value in entries.items() if value not in (None, [], {})}
    return {key: _short(value, longest) for key, value in said.items()}


def _error(step: ObservedCall) -> JsonObject | None:
    answer = step.answer
    if answer.error is None:
        return None
    return {"code": answer.error, "message": answer.message} | (
        {} if answer.details is None else {"details": answer.details}
    )


def _previewed(seen: Observation, answer: CallResult) -> JsonObject:
    """Return the preview, as far as it is not the output, and how an outdated approval ended."""
    step, outdated = seen.first("preview"), seen.first("outdated")
    if step is None or (answer.error is not None and answer.error == step.answer.error):
        return {}
    preview = step.answer.content if step.answer.error is None else _error(step)
    if isinstance(preview, dict) and isinstance(answer.content, dict):
        output = answer.content
        shared = {name for name in preview if name in output and preview[name] == output[name]}
        preview = {name: value for name, value in preview.items() if name not in shared}
    ended = None if outdated is None else outdated.answer.error or "not noticed"
    return {"preview": preview, "outdated_approval": ended}


def _short(value: Any, longest: int) -> Any:
    """Return a value with its texts as lists of lines; instead of a long one, its hash."""
    if isinstance(value, str):
        if len(value) > longest:
            return _digest(value)
        return value.split("\n") if "\n" in value else value
    if isinstance(value, dict):
        short: Any = {key: _short(inner, longest) for key, inner in value.items()}
    elif isinstance(value, list):
        short = [_short(each, longest) for each in value]
    else:
        return value
    return short if len(json.dumps(short)) <= longest else _digest(sorted_json(value))


def _digest(text: str) -> JsonObject:
    data = text.encode("utf-8", "backslashreplace")
    return {"characters": len(text), "sha256": hashlib.sha256(data).hexdigest()}


def without_varying(first: Any, second: Any) -> Any:
    """Return an outcome in which everything is `VARIES` that two calls of the same request do not share."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return {key: without_varying(value, second[key]) for key, value in first.items()}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [without_varying(one, other) for one, other in zip(first, second, strict=True)]
    if isinstance(first, str) and isinstance(second, str):
        return _common_text(_of_every_day(first), _of_every_day(second))
    return first if same_value(first, second) else VARIES


def is_same_outcome(recorded: Any, actual: Any) -> bool:
    """True if an outcome is the recorded one, but for what varies."""
    return same_value(recorded, with_marks(recorded, actual))


def with_marks(recorded: Any, actual: Any) -> Any:
    """Return an outcome with the marks of the recorded one, so that a diff does not show what varies."""
    if recorded == VARIES:
        return VARIES
    if isinstance(recorded, dict) and isinstance(actual, dict):
        return {key: with_marks(recorded.get(key), value) for key, value in actual.items()}
    if isinstance(recorded, list) and isinstance(actual, list):
        rest = [None] * (len(actual) - len(recorded))
        return [with_marks(one, other) for one, other in zip([*recorded, *rest], actual, strict=False)]
    if isinstance(recorded, str) and isinstance(actual, str) and VARIES in recorded:
        words, others = _WORDS.findall(recorded), _WORDS.findall(actual)
        has_other = any(one not in (VARIES, other) for one, other in zip(words, others, strict=False))
        return actual if has_other or len(words) != len(others) else recorded
    return recorded if same_value(recorded, actual) else actual


def _common_text(first: str, second: str) -> str:
    if first == second:
        return first
    words, others = _WORDS.findall(first), _WORDS.findall(second)
    if len(words) != len(others):
        return VARIES
    return "".join(one if one == other else VARIES for one, other in zip(words, others, strict=True))


def _of_every_day(text: str) -> str:
    """Return a text without today's date, which two calls share."""
    for today in {datetime.now().date(), datetime.now(UTC).date()}:
        text = text.replace(today.isoformat(), "-".join([VARIES] * 3))
    return text
