"""Write neighbours in few lines for reviews: as their difference from an example.

A request is written as its changed parameters, an output as its changed properties. An outcome that is still
long is written as a summary for people and a hash that detects every difference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, locate, plain_pointer, pointer_tokens, same_value
from toolgen.testing.outcomes.varying import VARIES, is_same_outcome, with_marks
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour

MAX_LONG: Final = 240
"""Characters of an outcome; longer ones are written as a hash."""
_MAX_WORDS: Final = 5  # properties that the summary of a long outcome names
_MAX_TEXT: Final = 40  # characters of a text in it
_DIGITS: Final = 16  # of a hash
_REPEATED: Final = "__repeated__"
_MIN_REPEATED: Final = 120  # characters of a text that is written as the part that it repeats
_MAX_LENGTH: Final = 10_000_000  # characters of such a text; an edited file must not fill memory


def compacted(neighbour: Neighbour, example: ExpectedCall, recorded: JsonObject) -> JsonObject:
    """Return a neighbour as it is written; `recorded` is the outcome of its example."""
    entry: JsonObject = {"after": neighbour.after} if neighbour.after else {}
    entry |= _changed_input(neighbour, example)
    if is_digest(neighbour.outcome):
        return entry | neighbour.outcome
    output = _output(example, recorded)
    outcome = _changed_output(neighbour.outcome, output)
    return entry | (outcome if len(_text(outcome)) <= MAX_LONG else digest(neighbour.outcome, output))


def expanded(near: str, entry: Mapping[str, Any], example: ExpectedCall, recorded: JsonObject) -> Neighbour:
    """Return the neighbour of an entry."""
    values: JsonObject = unpack(dict(entry))
    after = values.pop("after", "")
    arguments = values.pop("input", None)
    if arguments is None:
        arguments = _applied(example.arguments, values, gone="without", changed="with")
    if "changed" in values or "removed" in values or values.pop("same_output", False):
        old = _output(example, recorded)
        values["output"] = _applied(old, values, gone="removed", changed="changed")
    return Neighbour(near, dict(arguments), values, after)


def pack(value: Any) -> Any:
    """Return a value with long texts that repeat a part written as that part and their length."""
    if isinstance(value, dict):
        return {key: pack(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [pack(each) for each in value]
    if not isinstance(value, str) or not _MIN_REPEATED <= len(value) <= _MAX_LENGTH:
        return value
    size = (value + value).find(value[: _MIN_REPEATED // 2], 1)
    is_repeated = 0 < size <= len(value) // 2 and value == _repeated(value[:size], len(value))
    return {_REPEATED: value[:size], "length": len(value)} if is_repeated else value


def unpack(value: Any) -> Any:
    """Return the value that was packed. Raises ValueError or TypeError if `pack` did not write it."""
    if isinstance(value, dict):
        if value.keys() == {_REPEATED, "length"}:
            return _repeated(value[_REPEATED], value["length"])
        return {key: unpack(inner) for key, inner in value.items()}
    return [unpack(each) for each in value] if isinstance(value, list) else value


def _repeated(part: str, length: int) -> str:
    """Return the first `length` characters of a text that repeats `part`."""
    if not (part and 0 <= length <= _MAX_LENGTH):
        raise ValueError("not a repeated text")
    return (part * (length // len(part) + 1))[:length]


def is_digest(outcome: JsonObject) -> bool:
    """True for the outcome of which only a hash is written."""
    return "sha256" in outcome and "gives" in outcome


def digest(outcome: JsonObject, example: JsonObject) -> JsonObject:
    """Return a summary and a hash of an outcome, with the places that vary; `example` is another output."""
    varying = [plain_pointer(path) for path in _varying(outcome, ())]
    entry: JsonObject = {"gives": summary(outcome, example), "sha256": _hash(_masked(outcome, varying))}
    return entry | ({"varies": varying} if varying else {})


def holds(recorded: JsonObject, actual: JsonObject) -> bool:
    """True if an outcome is the recorded one, but for what varies."""
    if not is_digest(recorded):
        return is_same_outcome(recorded, actual)
    return str(recorded["sha256"]) == _hash(_masked(actual, recorded.get("varies", ())))


def shown_beside(recorded: JsonObject, actual: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return both outcomes as a diff shows them. Of a hash, there is only the actual outcome to show."""
    if not is_digest(recorded):
        return recorded, with_marks(recorded, actual)
    return {"gives": recorded["gives"]}, {"gives": summary(actual, {}), **actual}


def summary(outcome: JsonObject, example: JsonObject) -> str:
    """Return in a few words what a call gives; of the output, what is different from its example's."""
    error = outcome.get("error")
    parts = [f"error {error.get('code')}"] if isinstance(error, dict) else []
    output = outcome.get("output")
    if isinstance(output, dict):
        new = {name: value for name, value in output.items() if name not in example or value != example[name]}
        parts += [f"{name} {_short(value)}" for name, value in new.items() if _short(value)][:_MAX_WORDS]
    elif output is not None:
        parts += [_short(output) or "a text"]
    for name, one in (("state", "change"), ("blocks", "block"), ("chunks", "chunk")):
        if isinstance(outcome.get(name), list):
            count = len(outcome[name])
            parts.append(f"{count} {one}" if count == 1 else f"{count} {one}s")
    return ", ".join(parts) or "a result"


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value)}]"
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value)
    return "" if isinstance(value, dict) or len(text) > _MAX_TEXT else text


def _changed_input(neighbour: Neighbour, example: ExpectedCall) -> JsonObject:
    new = neighbour.arguments
    entry = _difference(example.arguments, new, gone="without", changed="with")
    entry = entry if entry and len(_text(entry)) <= len(_text({"input": new})) else {"input": new}
    packed: JsonObject = pack(entry)
    return packed


def _changed_output(outcome: JsonObject, old: JsonObject) -> JsonObject:
    """Return an outcome with the changed properties of its output instead of all, if that is shorter."""
    new = outcome.get("output")
    if not isinstance(new, dict) or not old:
        return outcome
    entry = _difference(old, new, changed="changed", gone="removed")
    rest = {name: value for name, value in outcome.items() if name != "output"}
    entry = rest | (entry or {"same_output": True})
    return entry if len(_text(entry)) < len(_text(outcome)) else outcome


def _difference(old: JsonObject, new: JsonObject, **names: str) -> JsonObject:
    """Return what is `gone` of an object and what has `changed`, by these names; only what is not empty."""
    other = {name: new[name] for name in new if name not in old or not same_value(new[name], old[name])}
    found = {"gone": [name for name in old if name not in new], "changed": other}
    return {name: found[part] for part, name in names.items() if found[part]}


def _applied(old: JsonObject, entry: JsonObject, *, gone: str, changed: str) -> JsonObject:
    """Return the object that `_difference` describes, and remove the description."""
    names = entry.pop(gone, ())
    left = {name: value for name, value in old.items() if name not in names}
    return {**left, **entry.pop(changed, {})}


def _output(example: ExpectedCall, recorded: JsonObject) -> JsonObject:
    output = example.output if example.has_output and example.error is None else recorded.get("output")
    return output if isinstance(output, dict) else {}


def _varying(value: Any, path: JsonPath) -> Iterator[JsonPath]:
    """Yield the paths of the values that are different each time, or contain a word that is."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _varying(inner, (*path, key))
    elif isinstance(value, str) and VARIES in value:
        yield path


def _masked(outcome: JsonObject, varying: Iterable[str]) -> Any:
    masked = json.loads(json.dumps(outcome))
    for pointer in varying:
        *steps, last = pointer_tokens(pointer)
        place = locate(masked, tuple(steps))
        if place is None:
            continue
        if isinstance(place.value, dict) and last in place.value:
            place.value[last] = VARIES
        elif isinstance(place.value, list) and int(last) < len(place.value):
            place.value[int(last)] = VARIES
    return masked


def _hash(value: Any) -> str:
    return hashlib.sha256(_text(value).encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
