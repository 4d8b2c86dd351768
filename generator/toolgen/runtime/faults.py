"""A refused value, in words that a model can act on: where, what was expected, what came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError

from .branches import one_of_several, too_many
from .expect import expected_of, part_at, sentence, unknown_property
from .gate import Gate
from .plain import not_json
from .words import SHOWN, quote, show_path

MISSING = "required property is missing"
LIMIT = 20  # faults told; the rest is counted
MOST = 1000  # faults counted


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a value."""

    path: str  # JSON path, as the caller would write it
    message: str  # one line: what was expected, what came

    def __str__(self) -> str:
        return f"- {self.path}: {self.message}"


def find_faults(gate: Gate, value: Any, hidden: Iterable[str] = ()) -> list[Fault]:
    """The faults of a value that `gate` refuses, in the schema's order, each told once, at most 1,000.

    No text of `hidden` (secrets) appears, nor any value that the schema marks `writeOnly` or as a password.
    """
    found = list(islice(_not_json(value), MOST))
    if not found:
        told = (fault for error in gate.errors(value) for fault in tell(error, gate.schema, value))
        found = list(islice(told, MOST))
    forms = {form for text in hidden if text for form in (text, quote(text, len(text))[1:-1])}
    secrets = sorted(forms, key=len, reverse=True)
    better = {fault.path for fault in found if fault.message.startswith(f"{MISSING},")}
    return [
        Fault(_masked(fault.path, secrets), _masked(fault.message, secrets))
        for fault in dict.fromkeys(found)
        if not (fault.message == MISSING and fault.path in better)  # required twice, and said better
    ]


def _not_json(value: Any) -> Iterator[Fault]:
    for path, words in not_json(value):
        yield Fault(show_path(path), f"expected a JSON value, got {words}")


def list_faults(faults: list[Fault]) -> str:
    """One line per fault, up to the limit, then how many more there are."""
    lines = [str(fault) for fault in faults[:LIMIT]]
    if len(faults) > LIMIT:
        least = "at least " if len(faults) >= MOST else ""
        lines.append(f"- and {least}{len(faults) - LIMIT} more")
    return "\n".join(lines)


def tell(error: ValidationError, schema: Mapping[str, Any], whole: Any) -> Iterator[Fault]:
    """The faults behind one error of the validator about a part of the value `whole`."""
    path = error.instance_path
    kind: Any = error.kind
    hide = _hides(schema, error.schema_path) or _hides(schema, error.evaluation_path)  # at and behind a $ref
    match type(kind).__name__:
        case "Required":
            wanted = expected_of(schema, error.schema_path, kind.property)
            yield Fault(show_path([*path, kind.property]), f"{MISSING}{wanted}")
        case "AdditionalProperties" | "UnevaluatedProperties":
            place = part_at(schema, error.schema_path[:-1])
            for name in kind.unexpected:
                yield Fault(show_path([*path, name]), unknown_property(name, place, error.instance))
        case "FalseSchema" if _closes(error.schema_path):
            # no property is declared here; the validator tells of one, and of its value only
            for name in _reach(whole, path):
                yield Fault(show_path([*path, name]), "unknown property; none is allowed here")
        case "AnyOf" | "OneOfNotValid" | "OneOfMultipleValid" if hide:
            yield Fault(show_path(path), "expected a value that fits one of the allowed forms")
        case "AnyOf" | "OneOfNotValid":
            for where, message in one_of_several(error, lambda part: _flat(part, schema, whole)):
                yield Fault(where, message)
        case "OneOfMultipleValid":
            yield Fault(show_path(path), too_many(error))
        case "PropertyNames":
            inner = "; ".join(fault.message for fault in tell(kind.error, schema, whole))
            yield Fault(show_path(path), f"property name not allowed: {inner}")
        case _:
            yield Fault(show_path(path), sentence(error, schema, hide))


def _flat(error: ValidationError, schema: Mapping[str, Any], whole: Any) -> list[tuple[str, str]]:
    return [(fault.path, fault.message) for fault in tell(error, schema, whole)]


def _closes(path: list[str | int]) -> bool:
    return path[-1:] == ["additionalProperties"] and path[-2:-1] != ["properties"]


def _reach(value: Any, path: Iterable[str | int]) -> dict[str, Any]:
    for step in path:
        value = value[step]
    return value if isinstance(value, dict) else {}


def _hides(schema: Mapping[str, Any], path: list[str | int]) -> bool:
    """Whether the schema, anywhere on the way to a keyword, says that the value is not to be shown."""
    places = (part_at(schema, path[:length]) for length in range(len(path)))
    return any(place.get("writeOnly") is True or place.get("format") == "password" for place in places)


def _masked(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
        for length in range(min(len(secret), SHOWN * 6), 3, -1):  # one that was cut where it is shown
            text = text.replace(f"{secret[:length]}…", "[secret]")
    return text
