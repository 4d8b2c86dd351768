"""The outcome of a call as JSON data: everything that it shows, except what the spec says already.

Of a long outcome, only its beginning is recorded, for people, and a hash that detects every difference.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from toolgen.schema.document import JsonObject
from toolgen.testing.calls.observation import Observation, ObservedCall
from toolgen.testing.calls.snapshot_diff import as_json, snapshot_diff
from toolgen.testing.outcomes.varying import VARIES, is_same_outcome, with_marks
from toolgen.testing.subjects.subject import CallResult

MAX_TEXT: Final = 4_000
"""Characters of one entry; of longer ones, hash and size are recorded."""
MAX_OUTCOME: Final = 400
"""Characters of the outcome of a neighbour; of longer ones, beginning and hash are recorded."""
_BEGINNING: Final = 120  # characters


def outcome_of(seen: Observation) -> JsonObject | None:
    """Return the outcome of an observed request; None if the call itself was not made.

    An output that an example of the spec has is left out, and so is everything that is empty.
    """
    step = seen.first("call")
    if step is None:
        return None
    expected, answer = seen.expected, step.answer
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
    return {key: _short(as_json(value)) for key, value in entries.items() if value not in (None, [], {})}


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


def _short(value: Any) -> Any:
    """Return a value with its texts as lists of lines; instead of a long one, its hash."""
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            return _digest(value)
        return value.split("\n") if "\n" in value else value
    if isinstance(value, dict):
        short: Any = {key: _short(inner) for key, inner in value.items()}
    elif isinstance(value, list):
        short = [_short(each) for each in value]
    else:
        return value
    return short if len(json.dumps(short)) <= MAX_TEXT else _digest(json.dumps(value, sort_keys=True))


def _digest(text: str) -> JsonObject:
    data = text.encode("utf-8", "backslashreplace")
    return {"characters": len(text), "sha256": hashlib.sha256(data).hexdigest()}


def shortened_outcome(outcome: JsonObject) -> JsonObject:
    """Return an outcome as it is recorded. A long one with values that vary stays as it is."""
    text = _text(outcome)
    if is_hash(outcome) or len(text) <= MAX_OUTCOME or VARIES in text:
        return outcome
    return {"begins": text[:_BEGINNING], "sha256": _hash(outcome)}


def is_hash(outcome: JsonObject) -> bool:
    """True for the outcome of which only beginning and hash are recorded."""
    return outcome.keys() == {"begins", "sha256"}


def holds(recorded: JsonObject, actual: JsonObject) -> bool:
    """True if an outcome is the recorded one, but for what varies."""
    if is_hash(recorded):
        return str(recorded["sha256"]) == _hash(actual)
    return is_same_outcome(recorded, actual)


def shown_beside(recorded: JsonObject, actual: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return both outcomes as a diff shows them. Of a hash, there is only the actual outcome to show."""
    return recorded, actual if is_hash(recorded) else with_marks(recorded, actual)


def _hash(outcome: JsonObject) -> str:
    return hashlib.sha256(_text(outcome).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _text(outcome: JsonObject) -> str:
    return json.dumps(outcome, sort_keys=True, ensure_ascii=False)
