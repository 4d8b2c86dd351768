"""The JSON Schema that OpenAI's strict mode accepts, made from the author's, and arguments brought back.

Strict mode wants closed objects whose properties are all required; a property that may be absent becomes one
that may be null, and `restore` takes exactly those nulls out again.
The rules: https://developers.openai.com/api/docs/guides/structured-outputs
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema import Loss
from toolgen.schema.cases import Case, Document, UnfitError
from toolgen.schema.measure import within_limits
from toolgen.schema.overlap import accepts_null
from toolgen.schema.strict import Emitter, root_case


@dataclass(frozen=True, slots=True)
class Strict:
    """A strict schema, or none where a loss is fatal."""

    schema: dict[str, Any] | None
    losses: tuple[Loss, ...]


def to_strict(schema: Mapping[str, Any]) -> Strict:
    """The strict form of `schema`, which stands by itself, and what gets lost by it."""
    emitter = Emitter(Document(schema))
    try:
        strict = emitter.root()
    except UnfitError as unfit:
        return Strict(None, (*emitter.losses, unfit.loss))
    losses = (*emitter.losses, *within_limits(strict))
    return Strict(None if any(loss.fatal for loss in losses) else strict, losses)


def publish(
    schema: Mapping[str, Any], strict: bool | None
) -> tuple[Mapping[str, Any], bool, tuple[Loss, ...]]:
    """What a tool publishes: its parameters, the strict flag, and the losses to tell the author.

    `strict` is the spec's `targets.openai.strict`. True: the strict form wherever there is one, and every
    loss. False: the author's schema. None: the strict form only where nothing gets lost by it.
    """
    if strict is False:
        return schema, False, ()
    made = to_strict(schema)
    if made.schema is None or (strict is None and made.losses):
        return schema, False, made.losses if strict else ()
    return made.schema, True, made.losses


def restore(schema: Mapping[str, Any], arguments: Any) -> Any:
    """`arguments` as the author's `schema` means them: without the nulls that its strict form added."""
    return restorer(schema)(arguments)


def restorer(schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    """`restore` for one schema, which is worked out once."""
    doc = Document(schema)

    def restore_arguments(arguments: Any) -> Any:
        try:
            return _restored(doc, [root_case(doc)[0]], arguments)
        except UnfitError:  # there is no strict form, so there is nothing to undo
            return arguments

    return restore_arguments


def _restored(doc: Document, cases: list[Case] | tuple[Case, ...], value: Any) -> Any:
    if isinstance(value, dict):
        case = _taken(doc, cases, value)
        if case is None:
            return value
        fields = doc.fields(case)
        return {
            name: _restored(doc, doc.cases(fields[name]), each) if name in fields else each
            for name, each in value.items()
            if each is not None
            or name not in fields
            or name in case.required
            or accepts_null(doc, fields[name])
        }
    if isinstance(value, list):
        case = _taken(doc, cases, value)
        if case is None or case.items is None:
            return value
        items = doc.cases(case.items)
        return [_restored(doc, items, each) for each in value]
    return value


def _taken(doc: Document, cases: list[Case] | tuple[Case, ...], value: Any) -> Case | None:
    """The case that `value` was written for: the only one there is, else one it fits exactly, else nearly."""
    kind = "object" if isinstance(value, dict) else "array"
    candidates = [case for case in cases if case.type == kind]
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    for exact in (True, False):
        for case in candidates:
            if _fits(doc, case, value, exact):
                return case
    return None


def _fits(doc: Document, case: Case, value: Any, exact: bool) -> bool:
    """Whether `value` has the shape of `case`, in strict form or, if not `exact`, with absent properties."""
    if not case.admits(value):
        return False
    if isinstance(value, list):
        items = doc.cases(case.items) if case.items is not None else ()
        return case.items is None or all(any(_fits(doc, c, each, exact) for c in items) for each in value)
    if not isinstance(value, dict):
        return True
    fields = doc.fields(case)
    missing = fields.keys() - value.keys()
    if value.keys() - fields.keys() or (missing if exact else missing & case.required):
        return False
    return all(
        (each is None and name not in case.required)
        or any(_fits(doc, c, each, exact) for c in doc.cases(fields[name]))
        for name, each in value.items()
    )
