"""Find the faults of a value and describe them for a model: path, what was expected, what was received."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError, Validator

from toolgen.runtime.text import SHOWN, limited_suggestions, quote, show_path
from toolgen.schema.document import JsonPath, SchemaDocument, count_parts
from toolgen.schema.validator import compiled

from .bounded_faults import OWN, BoundedFaults
from .compiled_schema import CompiledSchema
from .complexity import explains
from .fault_messages import (
    Fault,
    FaultLocation,
    because,
    expected_of,
    instead_of_text,
    part_at,
    same_items,
    sentence,
    unknown_property,
)
from .json_path import path_of_closed_object, path_of_error, value_at
from .json_value import find_non_json, is_json
from .schema_lookup import SchemaLookup
from .union_faults import describe_no_branch, too_many

MISSING = "required property is missing"
LIMIT = 20  # faults that are listed; others are counted
MOST = 1000  # faults that are counted
_LARGE = 1_000  # parts of a value that are not copied into each of its faults in the bounded search
_WITHOUT_CONTENT = ("type", "enum", "const", "minItems", "maxItems", "minProperties", "maxProperties")
BOUNDED = 100  # faults of a value that would take too long to explain

TOO_EXPENSIVE = Fault("$", "too large or too deeply nested to be checked by this schema")
UNEXPLAINED = Fault("$", "does not fit the schema; finding out why would take too long")
MORE = Fault("$", "there are more faults, which would take too long to find")


def find_faults(schema: CompiledSchema, value: Any, hidden: Iterable[str] = ()) -> list[Fault]:
    """Return the distinct faults of a value that `schema` refuses, in the schema's order, at most 1,000.

    They contain no text of `hidden` (secrets), and no value that the schema marks as `writeOnly` or password.
    """
    found = [] if is_json(value) else list(islice(non_json_faults(value), MOST))
    if not found:
        with limited_suggestions():
            found = list(islice(_refused(schema, value), MOST))
    forms = {form for text in hidden if text for form in (text, quote(text, len(text))[1:-1])}
    secrets = sorted(forms, key=len, reverse=True)
    with_type = {fault.path for fault in found if fault.message.startswith(f"{MISSING},")}
    return [
        Fault(_masked(fault.path, secrets), _masked(fault.message, secrets))
        for fault in dict.fromkeys(found)
        if not (fault.message == MISSING and fault.path in with_type)  # another fault says more
    ]


def _refused(schema: CompiledSchema, value: Any) -> Iterator[Fault]:
    if schema.is_too_expensive(value):
        yield TOO_EXPENSIVE
        return
    if not explains(schema.document, value):
        yield from _bounded(schema, value)
        return
    refusal = Refusal(schema.document, value, SchemaLookup(schema.document))
    for error in schema.errors(value):
        yield from describe_error(error, refusal)


def _bounded(compiled_schema: CompiledSchema, value: Any) -> Iterator[Fault]:
    """Yield faults of a value that the validator would take too long to explain; at least a general one."""
    lookup = SchemaLookup(compiled_schema.document)
    own_checks: dict[int, _OwnCheck] = {}  # by the id of a subschema

    def own(path: JsonPath, schema: Mapping[str, Any], part: Any) -> Iterator[Fault]:
        check = own_checks.get(id(schema))
        if check is None:
            check = own_checks[id(schema)] = _own_check(compiled_schema, schema)
        if check.validator is None or check.validator.is_valid(part):
            return
        hide = lookup.is_secret(path)
        # jsonschema-rs copies the value into each of its errors
        is_large = isinstance(part, dict | list) and count_parts(part, _LARGE) > _LARGE
        for fault in (_faults_of_large_part if is_large else _faults_of_part)(check, part, hide):
            yield Fault(f"{show_path(path)}{fault.path.removeprefix('$')}", fault.message)

    def unknown(path: JsonPath, name: str, place: Mapping[str, Any], part: Any) -> Fault:
        return Fault(show_path([*path, name]), unknown_property(name, place, part))

    def no_branch(path: JsonPath, forms: int) -> Fault:
        return Fault(show_path(path), f"fits none of the {forms} allowed forms")

    search = BoundedFaults(compiled_schema.document, own, unknown, no_branch)
    found = list(islice(search.find(value), BOUNDED))
    yield from found
    if not found:
        yield UNEXPLAINED
    elif not search.complete:
        yield MORE


@dataclass(frozen=True, slots=True)
class _OwnCheck:
    """A check by the keywords of a subschema that have no subschemas."""

    schema: Mapping[str, Any]  # the subschema; a reference, so that no other object gets its id
    document: SchemaDocument  # of its keywords without subschemas
    lookup: SchemaLookup
    validator: Validator | None  # None: it has no such keywords
    draft: str


def _faults_of_part(check: _OwnCheck, part: Any, hide: bool) -> Iterator[Fault]:
    assert check.validator is not None
    inner = Refusal(check.document, part, check.lookup)
    for error in islice(check.validator.iter_errors(part), LIMIT):
        yield from describe_error(error, inner, hide)


def _faults_of_large_part(check: _OwnCheck, part: Any, hide: bool) -> list[Fault]:
    """Return faults of an object or array that is too large to be copied into each error of the validator."""
    required = check.document.schema.get("required", ()) if isinstance(part, dict) else ()
    missing = islice((name for name in required if name not in part), LIMIT)
    found = [Fault(show_path([name]), MISSING) for name in missing]
    # messages show no more of the part than its length, so the error can have one with nothing in it
    hollow = dict.fromkeys(part) if isinstance(part, dict) else [None] * len(part)
    inner = Refusal(check.document, hollow, check.lookup)
    for keyword in _WITHOUT_CONTENT:
        if keyword in check.document.schema:
            alone = compiled({"$schema": check.draft, keyword: check.document.schema[keyword]})
            for error in () if alone.is_valid(part) else alone.iter_errors(hollow):
                found += describe_error(error, inner, hide)
    unique = compiled(
        {"$schema": check.draft, "uniqueItems": check.document.schema.get("uniqueItems") is True}
    )
    if isinstance(part, list) and not unique.is_valid(part):
        found.append(Fault("$", same_items(part, hide)))
    return found or [UNEXPLAINED]


def _own_check(compiled_schema: CompiledSchema, schema: Mapping[str, Any]) -> _OwnCheck:
    keywords = {key: value for key, value in schema.items() if key in OWN}
    draft = {"$schema": compiled_schema.schema.get("$schema", _LATEST)}
    validator = compiled({**draft, **keywords}) if keywords else None
    document = SchemaDocument(keywords)
    return _OwnCheck(schema, document, SchemaLookup(document), validator, draft["$schema"])


_LATEST = "https://json-schema.org/draft/2020-12/schema"


def non_json_faults(value: Any) -> Iterator[Fault]:
    """Yield a fault for each part of a value that is not JSON."""
    for path, words in find_non_json(value):
        yield Fault(show_path(path), f"expected a JSON value, got {words}")


def list_faults(faults: list[Fault]) -> str:
    """Return one line per fault up to LIMIT, then the number of others."""
    lines = [str(fault) for fault in faults[:LIMIT]]
    if len(faults) > LIMIT:
        least = "at least " if len(faults) >= MOST or faults[-1] == MORE else ""
        faults = [fault for fault in faults if fault != MORE]
        lines.append(f"- and {least}{len(faults) - LIMIT} more")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that a schema refuses."""

    document: SchemaDocument
    value: Any
    lookup: SchemaLookup

    def path_of(self, error: ValidationError) -> JsonPath:
        """Return the path of an error in the value."""
        return path_of_error(self.value, error)

    def hides(self, error: ValidationError) -> bool:
        """True if the value of an error must not be shown, because it is or may contain a secret."""
        if not self.lookup.marks_secrets:
            return False
        may_contain = isinstance(error.instance, str) and error.instance.lstrip()[:1] in ("{", "[", '"')
        return may_contain or self.lookup.is_secret(self.path_of(error))


def describe_error(error: ValidationError, refusal: Refusal, hide: bool = False) -> Iterator[Fault]:
    """Yield the faults behind one error of the validator."""
    schema, path = refusal.document.schema, refusal.path_of(error)
    kind: Any = error.kind
    hide = hide or refusal.hides(error)
    match type(kind).__name__:
        case "Required":
            wanted = expected_of(refusal.document, error.schema_path, kind.property)
            reason = because(error, schema)
            yield Fault(show_path([*path, kind.property]), f"{MISSING}{wanted}{reason}")
        case "AdditionalProperties" | "UnevaluatedProperties":
            place = part_at(schema, error.schema_path[:-1])
            for name in kind.unexpected:
                yield Fault(show_path([*path, name]), unknown_property(name, place, error.instance))
        case "FalseSchema" if _closes(error.schema_path):
            # the schema declares no property; the validator reports only one of them
            above = path_of_closed_object(refusal.value, error)
            for name in value_at(refusal.value, above):
                yield Fault(show_path([*above, name]), "unknown property; none is allowed here")
        case "AnyOf" | "OneOfNotValid" | "OneOfMultipleValid" if hide:
            yield Fault(show_path(path), "expected a value that fits one of the allowed forms")
        case "AnyOf" | "OneOfNotValid":
            yield from _fits_none(error, refusal)
        case "OneOfMultipleValid":
            yield Fault(show_path(path), too_many(error, part_at(schema, error.schema_path[:-1])))
        case "PropertyNames":
            inner = "; ".join(fault.message for fault in describe_error(kind.error, refusal, hide))
            yield Fault(show_path(path), f"property name not allowed: {inner}")
        case _:
            hint = "" if hide else what_to_send(error, refusal, path)
            yield Fault(show_path(path), f"{sentence(error, schema, hide)}{hint}")


def _fits_none(error: ValidationError, refusal: Refusal) -> Iterator[Fault]:
    def describe(part: ValidationError) -> list[Fault]:
        return list(describe_error(part, refusal))

    def locate(part: ValidationError) -> FaultLocation:
        return FaultLocation(show_path(refusal.path_of(part)), refusal.hides(part))

    yield from describe_no_branch(error, describe, locate, schema=refusal.document.schema)


def what_to_send(error: ValidationError, refusal: Refusal, path: JsonPath) -> str:
    """Return what to send in place of a value of the wrong type; an empty string if the type says it all."""
    kind: Any = error.kind
    if type(kind).__name__ != "Type":
        return ""
    if error.instance is None and refusal.lookup.is_optional(path):
        return "; leave it out if there is no value"
    place = part_at(refusal.document.schema, error.schema_path[:-1])
    return instead_of_text(error.instance, kind.types, place) if isinstance(error.instance, str) else ""


def _closes(path: list[str | int]) -> bool:
    # a property may have this name
    return path[-1:] == ["additionalProperties"] and path[-2:-1] != ["properties"]


def _masked(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
        for length in range(min(len(secret), SHOWN * 6), 3, -1):  # a secret that was shortened
            text = text.replace(f"{secret[:length]}…", "[secret]")
    return text
