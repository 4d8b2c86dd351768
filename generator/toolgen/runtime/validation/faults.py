"""A refused value, in words that a model can act on: where, what was expected, what came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError

from toolgen.runtime.text import SHOWN, quote, show_path
from toolgen.schema.document import JsonPath

from .bounded_faults import OWN, BoundedFaults
from .compiled_schema import CompiledSchema, compiled
from .fault_messages import because, expected_of, instead_of_text, part_at, sentence, unknown_property
from .json_path import part_of, where
from .json_value import is_json, not_json
from .schema_lookup import About
from .union_faults import one_of_several, too_many

MISSING = "required property is missing"
LIMIT = 20  # faults told; the rest is counted
MOST = 1000  # faults counted
BOUNDED = 100  # faults of a value that would take too long to explain


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a value."""

    path: str  # JSON path, as the caller would write it
    message: str  # one line: what was expected, what came

    def __str__(self) -> str:
        return f"- {self.path}: {self.message}"


MORE = Fault("$", "there are more faults, which would take too long to find")


def find_faults(gate: CompiledSchema, value: Any, hidden: Iterable[str] = ()) -> list[Fault]:
    """The faults of a value that `gate` refuses, in the schema's order, each told once, at most 1,000.

    No text of `hidden` (secrets) appears, nor any value that the schema marks `writeOnly` or as a password.
    """
    found = [] if is_json(value) else list(islice(_not_json(value), MOST))
    found = found or list(islice(_refused(gate, value), MOST))
    forms = {form for text in hidden if text for form in (text, quote(text, len(text))[1:-1])}
    secrets = sorted(forms, key=len, reverse=True)
    better = {fault.path for fault in found if fault.message.startswith(f"{MISSING},")}
    return [
        Fault(_masked(fault.path, secrets), _masked(fault.message, secrets))
        for fault in dict.fromkeys(found)
        if not (fault.message == MISSING and fault.path in better)  # required twice, and said better
    ]


def _refused(gate: CompiledSchema, value: Any) -> Iterator[Fault]:
    if not gate.explains(value):
        if gate.is_too_heavy(value):
            yield Fault("$", "too large or too deeply nested to be checked by this schema")
        else:
            yield from _bounded(gate, value)
        return
    refusal = Refusal(gate.schema, value, About(gate.schema))
    for error in gate.errors(value):
        yield from tell(error, refusal)


def _bounded(gate: CompiledSchema, value: Any) -> Iterator[Fault]:
    """The faults of a value that the validator would take too long to explain, or one general line."""
    about = About(gate.schema)

    known: dict[int, tuple[Mapping[str, Any], About, Mapping[str, Any], Any]] = {}

    def own(path: JsonPath, schema: Mapping[str, Any], part: Any) -> Iterator[Fault]:
        if id(schema) not in known:  # kept with the schema, so that its id stays its own
            plain = {key: value for key, value in schema.items() if key in OWN}
            named = {"$schema": gate.schema.get("$schema", _LATEST)}
            validator = compiled({**named, **plain}) if plain else None
            known[id(schema)] = (schema, About(plain), plain, validator)
        _, about_plain, keywords, validator = known[id(schema)]
        if validator is None or validator.is_valid(part):
            return
        inner = Refusal(keywords, part, about_plain)
        hide = about.hide(path)
        for error in islice(validator.iter_errors(part), LIMIT):
            for fault in tell(error, inner, hide):
                yield Fault(f"{show_path(path)}{fault.path.removeprefix('$')}", fault.message)

    def unknown(path: JsonPath, name: str, place: Mapping[str, Any], part: Any) -> Fault:
        return Fault(show_path([*path, name]), unknown_property(name, place, part))

    def unfit(path: JsonPath, forms: int) -> Fault:
        return Fault(show_path(path), f"fits none of the {forms} allowed forms")

    search = BoundedFaults(gate.schema, own, unknown, unfit)
    found = list(islice(search.find(value), BOUNDED))
    yield from found
    if not found:
        yield Fault("$", "does not fit the schema; finding out why would take too long")
    elif not search.complete:
        yield MORE


_LATEST = "https://json-schema.org/draft/2020-12/schema"


def _not_json(value: Any) -> Iterator[Fault]:
    for path, words in not_json(value):
        yield Fault(show_path(path), f"expected a JSON value, got {words}")


def list_faults(faults: list[Fault]) -> str:
    """One line per fault, up to the limit, then how many more there are."""
    lines = [str(fault) for fault in faults[:LIMIT]]
    if len(faults) > LIMIT:
        least = "at least " if len(faults) >= MOST or faults[-1] == MORE else ""
        faults = [fault for fault in faults if fault != MORE]
        lines.append(f"- and {least}{len(faults) - LIMIT} more")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the faults are about."""

    schema: Mapping[str, Any]
    value: Any  # the whole
    about: About

    def path_of(self, error: ValidationError) -> JsonPath:
        """Where in the value an error is."""
        return where(self.value, error)

    def hides(self, error: ValidationError) -> bool:
        """Whether what stands there is not to be shown: it is marked, or a text that may hold what is."""
        if not self.about.hides:
            return False
        may_hold = isinstance(error.instance, str) and error.instance.lstrip()[:1] in ("{", "[", '"')
        return may_hold or self.about.hide(self.path_of(error))


def tell(error: ValidationError, refusal: Refusal, hide: bool = False) -> Iterator[Fault]:
    """The faults behind one error of the validator."""
    schema, path = refusal.schema, refusal.path_of(error)
    kind: Any = error.kind
    hide = hide or refusal.hides(error)
    match type(kind).__name__:
        case "Required":
            wanted = expected_of(schema, error.schema_path, kind.property)
            reason = because(error, schema)
            yield Fault(show_path([*path, kind.property]), f"{MISSING}{wanted}{reason}")
        case "AdditionalProperties" | "UnevaluatedProperties":
            place = part_at(schema, error.schema_path[:-1])
            for name in kind.unexpected:
                yield Fault(show_path([*path, name]), unknown_property(name, place, error.instance))
        case "FalseSchema" if _closes(error.schema_path):
            # no property is declared here; the validator tells of one, and of its value only
            for name in part_of(refusal.value, path):
                yield Fault(show_path([*path, name]), "unknown property; none is allowed here")
        case "AnyOf" | "OneOfNotValid" | "OneOfMultipleValid" if hide:
            yield Fault(show_path(path), "expected a value that fits one of the allowed forms")
        case "AnyOf" | "OneOfNotValid":
            yield from _fits_none(error, refusal)
        case "OneOfMultipleValid":
            yield Fault(show_path(path), too_many(error, part_at(schema, error.schema_path[:-1])))
        case "PropertyNames":
            inner = "; ".join(fault.message for fault in tell(kind.error, refusal, hide))
            yield Fault(show_path(path), f"property name not allowed: {inner}")
        case _:
            hint = "" if hide else what_to_send(error, refusal, path)
            yield Fault(show_path(path), f"{sentence(error, schema, hide)}{hint}")


def _fits_none(error: ValidationError, refusal: Refusal) -> Iterator[Fault]:
    def said(part: ValidationError) -> list[tuple[str, str]]:
        return [(fault.path, fault.message) for fault in tell(part, refusal)]

    def place(part: ValidationError) -> tuple[str, bool]:
        return show_path(refusal.path_of(part)), refusal.hides(part)

    for where_it_is, message in one_of_several(error, said, place, refusal.schema):
        yield Fault(where_it_is, message)


def what_to_send(error: ValidationError, refusal: Refusal, path: JsonPath) -> str:
    """What to do about a value of the wrong type, where there is more to say than the type."""
    kind: Any = error.kind
    if type(kind).__name__ != "Type":
        return ""
    if error.instance is None and refusal.about.may_be_left_out(path):
        return "; leave it out where there is no value"
    place = part_at(refusal.schema, error.schema_path[:-1])
    return instead_of_text(error.instance, kind.types, place) if isinstance(error.instance, str) else ""


def _closes(path: list[str | int]) -> bool:
    return path[-1:] == ["additionalProperties"] and path[-2:-1] != ["properties"]


def _masked(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
        for length in range(min(len(secret), SHOWN * 6), 3, -1):  # one that was cut where it is shown
            text = text.replace(f"{secret[:length]}…", "[secret]")
    return text
