"""Find the faults of a value and describe them for a model: path, what was expected, what was received."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError
from pydantic import ValidationError as PydanticError

from toolgen.runtime.text import (
    SHOWN,
    did_you_mean,
    either,
    limited_suggestions,
    quote,
    show,
    show_kind,
    show_options,
    show_path,
)
from toolgen.schema.document import JsonPath, SchemaDocument, follow, subschemas

from .compiled_schema import CompiledSchema
from .fault_messages import Fault, expected_of, instead_of_text, part_at, sentence, unknown_property
from .json_value import find_non_json, is_json, path_of_error
from .schema_lookup import SchemaLookup

MISSING = "required property is missing"
LIMIT = 20  # faults that are listed; others are counted
MOST = 1000  # faults that are counted
_MAX_FORMS = 4  # branches of a union that are described
_CHOICES = frozenset({"Constant", "Enum"})

TOO_EXPENSIVE = Fault("$", "too large or too deeply nested to be checked by this schema")
_UNEXPLAINED = "does not fit the schema; finding out why would take too long: send less at once"


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
    if not schema.explains(value):
        required = schema.document.plain.schema.get("required", ()) if isinstance(value, dict) else ()
        missing = [Fault(show_path([name]), MISSING) for name in required if name not in value]
        yield from missing or [Fault("$", _UNEXPLAINED)]
        return
    refusal = Refusal(schema.document, value, SchemaLookup(schema.document))
    for error in schema.errors(value):
        yield from describe_error(error, refusal)


def non_json_faults(value: Any) -> Iterator[Fault]:
    """Yield a fault for each part of a value that is not JSON."""
    for path, words in find_non_json(value):
        yield Fault(show_path(path), f"expected a JSON value, got {words}")


def value_free_faults(schema: CompiledSchema | None, value: Any) -> str:
    """Return one line for each fault of `value`, for logs, whose readers may not be allowed to see the data.

    Names of properties that `schema` does not declare are shown as `*`. At most 20 lines.
    """
    known = set() if schema is None else property_names(schema.schema)
    faults: Iterable[Fault] = [
        Fault(_masked_path(path, known), f"expected a JSON value, got {words}")
        for path, words in islice(find_non_json(value), LIMIT)
    ]
    if not faults and schema is not None:
        if not schema.explains(value):
            return "- $: does not fit the schema"
        refusal = Refusal(schema.document, value, SchemaLookup(schema.document), known=known)
        faults = (fault for error in schema.errors(value) for fault in describe_error(error, refusal))
    return "\n".join(dict.fromkeys(map(str, islice(faults, LIMIT))))


def value_free_model_faults(error: PydanticError, names: Collection[str]) -> str:
    """Return the faults that a pydantic model has found: paths, without names that are not in `names`."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    found = dict.fromkeys(f"{_masked_path(each['loc'], names)}: {each['type']}" for each in faults)
    return "; ".join([*found][:LIMIT])


def property_names(schema: Any) -> set[str]:
    """Return every property name that a schema declares."""
    found: set[str] = set()
    for _, part in subschemas(schema):
        properties, required = part.get("properties"), part.get("required")
        if isinstance(properties, Mapping):
            found.update(properties)
        if isinstance(required, list):
            found.update(name for name in required if isinstance(name, str))
    return found


def _masked_path(path: Iterable[str | int], known: Collection[str]) -> str:
    steps = [show_path([step])[1:] if isinstance(step, int) or step in known else ".*" for step in path]
    return "$" + "".join(steps)


def list_faults(faults: list[Fault]) -> str:
    """Return one line per fault up to LIMIT, then the number of others."""
    lines = [str(fault) for fault in faults[:LIMIT]]
    if len(faults) > LIMIT:
        least = "at least " if len(faults) >= MOST else ""
        lines.append(f"- and {least}{len(faults) - LIMIT} more")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that a schema refuses."""

    document: SchemaDocument
    value: Any
    lookup: SchemaLookup
    known: Collection[str] | None = None  # names that may be shown, and no values; None: everything may be

    def path_of(self, error: ValidationError) -> JsonPath:
        """Return the path of an error in the value."""
        return path_of_error(self.value, error)

    def show(self, path: Iterable[str | int]) -> str:
        """Return a path as text."""
        return show_path(path) if self.known is None else _masked_path(path, self.known)

    def part_of(self, error: ValidationError) -> Any:
        """Return the part of the value at the path of an error."""
        return follow(self.value, self.path_of(error))

    def hides(self, error: ValidationError) -> bool:
        """True if the value of an error must not be shown, because it is or may contain a secret."""
        if self.known is not None or not self.lookup.marks_secrets:
            return self.known is not None
        may_contain = isinstance(error.instance, str) and error.instance.lstrip()[:1] in ("{", "[", '"')
        # the path of a value below a name such as "007" is not known
        is_known = self.part_of(error) == error.instance
        return may_contain or not is_known or self.lookup.is_secret(self.path_of(error))


def describe_error(error: ValidationError, refusal: Refusal, hide: bool = False) -> Iterator[Fault]:
    """Yield the faults behind one error of the validator."""
    schema, path = refusal.document.schema, refusal.path_of(error)
    kind: Any = error.kind
    hide = hide or refusal.hides(error)
    match type(kind).__name__:
        case "Required":
            wanted = expected_of(refusal.document, error.schema_path, kind.property)
            yield Fault(refusal.show([*path, kind.property]), f"{MISSING}{wanted}")
        case "AdditionalProperties" | "UnevaluatedProperties":
            place = part_at(schema, error.schema_path[:-1])
            for name in kind.unexpected:
                hidden = refusal.known is not None
                message = "unknown property" if hidden else unknown_property(name, place, error.instance)
                yield Fault(refusal.show([*path, name]), message)
        case "FalseSchema" if closes(error.schema_path):
            # the schema declares no property; the validator reports only one of them
            for name in refusal.part_of(error):
                yield Fault(refusal.show([*path, name]), "unknown property; none is allowed here")
        case "AnyOf" | "OneOfNotValid" | "OneOfMultipleValid" if hide:
            yield Fault(refusal.show(path), "expected a value that fits one of the allowed forms")
        case "AnyOf" | "OneOfNotValid":
            yield from _fits_none(error, refusal)
        case "OneOfMultipleValid":
            branches = part_at(schema, error.schema_path[:-1]).get("oneOf", ())
            yield Fault(refusal.show(path), _too_many(error, branches))
        case "PropertyNames":
            inner = "; ".join(fault.message for fault in describe_error(kind.error, refusal, hide))
            yield Fault(refusal.show(path), f"property name not allowed: {inner}")
        case _:
            hint = "" if hide else what_to_send(error, refusal, path)
            yield Fault(refusal.show(path), f"{sentence(error, schema, hide)}{hint}")


def _fits_none(error: ValidationError, refusal: Refusal) -> Iterator[Fault]:
    """Yield the faults of a value that matches no branch.

    If the caller's intent is clear (one branch has the type, the tag and the properties of the value), they
    are the faults of that branch. If all branches only differ in type or constant, it is one fault. Otherwise
    it is one fault with the first fault of each branch.
    """
    here, at = error.instance_path, refusal.show(refusal.path_of(error))
    kind: Any = error.kind
    branches: list[list[ValidationError]] = kind.context
    types = _all_types(branches, here)
    if types:
        yield Fault(at, f"expected {either(types)}, got {show_kind(error.instance)}")
        return
    tag = _common_choice(branches, refusal)
    if tag is not None:
        yield tag
        return
    likely = intended_branches(branches, here)
    if len(likely) == 1:
        for fault in branches[likely[0]]:
            yield from describe_error(fault, refusal)
        return
    forms = [next(describe_error(branches[index][0], refusal)) for index in likely if branches[index]]
    # branches that differ elsewhere have the same fault here
    if len(set(forms)) == 1:
        yield forms[0]
        return
    details = "; ".join(
        f"({number}) {form.message if form.path == at else f'{form.path}: {form.message}'}"
        for number, form in enumerate(forms[:_MAX_FORMS], 1)
    )
    more = f"; and {len(forms) - _MAX_FORMS} more" if len(forms) > _MAX_FORMS else ""
    yield Fault(at, f"fits none of the {len(forms)} allowed forms: {details}{more}")


def _all_types(branches: list[list[ValidationError]], here: list[str | int]) -> list[str]:
    """Return the accepted types if the type is the only fault in every branch; else an empty list."""
    types: list[str] = []
    for faults in branches:
        for fault in faults:
            kind: Any = fault.kind
            if _is_closed(fault, here):
                continue
            if type(kind).__name__ != "Type" or fault.instance_path != here:
                return []
            types += [name for name in kind.types if name not in types]
    return types


def _common_choice(branches: list[list[ValidationError]], refusal: Refusal) -> Fault | None:
    """Return the fault of a tag that no branch has; None if the branches have no common tag."""
    choices = [
        {tuple(fault.instance_path): fault for fault in faults if type(fault.kind).__name__ in _CHOICES}
        for faults in branches
    ]
    shared = set.intersection(*map(set, choices)) if choices else set()
    if not shared:
        return None
    path = min(shared, key=lambda steps: (len(steps), str(steps)))
    options: list[Any] = []
    for found in choices:
        kind: Any = found[path].kind
        wanted = kind.options if type(kind).__name__ == "Enum" else [kind.expected_value]
        options += [option for option in wanted if option not in options]
    first = choices[0][path]
    got = f", got {show(first.instance)}{did_you_mean(first.instance, options)}"
    place = refusal.show(refusal.path_of(first))
    return Fault(place, f"expected {show_options(options)}{'' if refusal.hides(first) else got}")


def intended_branches(branches: list[list[ValidationError]], here: list[str | int]) -> list[int]:
    """Return the branches that the caller can have intended, judged by type, tag and properties.

    If that excludes all of them, the criterion is not applied.
    """
    left = [index for index, faults in enumerate(branches) if faults]
    choices = [fault for faults in branches for fault in faults if _wrong_tag(fault, here)]
    tags = {str(fault.instance_path[-1]) for fault in choices if fault.instance_path != here}
    for wrong in (_is_closed, _wrong_type, partial(_is_other_tag, tags=tags), _is_unknown_property):
        kept = [index for index in left if not any(wrong(fault, here) for fault in branches[index])]
        left = kept or left
    return left


def _is(fault: ValidationError, here: list[str | int], *, names: tuple[str, ...]) -> bool:
    """True if a fault is of one of the kinds `names`, and of the value itself."""
    return type(fault.kind).__name__ in names and fault.instance_path == here


_is_closed = partial(_is, names=("FalseSchema",))
_is_unknown_property = partial(_is, names=("AdditionalProperties", "UnevaluatedProperties"))
_wrong_type = partial(_is, names=("Type",))


def _is_other_tag(fault: ValidationError, here: list[str | int], tags: set[str]) -> bool:
    """True if a branch has another tag than the value, or does not allow a tag of other branches."""
    kind: Any = fault.kind
    return _wrong_tag(fault, here) or (
        _is_unknown_property(fault, here) and not tags.isdisjoint(kind.unexpected)
    )


def _wrong_tag(fault: ValidationError, here: list[str | int]) -> bool:
    name = type(fault.kind).__name__
    return name in _CHOICES and len(here) <= len(fault.instance_path) <= len(here) + 1


def _too_many(error: ValidationError, branches: Sequence[Any]) -> str:
    """Return the sentence for a value that matches several `branches` of a oneOf."""
    kind: Any = error.kind
    pairs = zip(branches, kind.context, strict=False)
    fitting = (f"{number}{_label(each)}" for number, (each, faults) in enumerate(pairs, 1) if not faults)
    got = "" if isinstance(error.instance, dict | list) else f" ({show(error.instance)})"
    expected = f"expected a value that fits exactly one of {len(kind.context)} forms"
    return f"{expected}, got one that fits {' and '.join(fitting)}{got}"


def _label(branch: Any) -> str:
    """Return a short description of a branch: its title, or the properties that it requires."""
    if not isinstance(branch, dict):
        return ""
    if isinstance(branch.get("title"), str):
        return f" ({quote(branch['title'])})"
    names = branch.get("required")
    return f" (with {', '.join(map(quote, names[:4]))})" if isinstance(names, list) and names else ""


def what_to_send(error: ValidationError, refusal: Refusal, path: JsonPath) -> str:
    """Return what to send in place of a value of the wrong type; an empty string if the type says it all."""
    kind: Any = error.kind
    if type(kind).__name__ != "Type":
        return ""
    if error.instance is None and refusal.lookup.is_optional(path):
        return "; leave it out if there is no value"
    place = part_at(refusal.document.schema, error.schema_path[:-1])
    return instead_of_text(error.instance, kind.types, place) if isinstance(error.instance, str) else ""


def closes(path: list[str | int]) -> bool:
    """True if the schema at `path` refuses every property that is not declared."""
    # a property may have this name
    return path[-1:] == ["additionalProperties"] and path[-2:-1] != ["properties"]


def _masked(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
        for length in range(min(len(secret), SHOWN * 6), 3, -1):  # a secret that was shortened
            text = text.replace(f"{secret[:length]}…", "[secret]")
    return text
