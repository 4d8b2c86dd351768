"""Arguments in strict form, brought back to what the author's schema means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgen.schema.strict.convert import root_case
from toolgen.schema.strict.disjoint import accepts_null
from toolgen.schema.strict.normal_form import Case, Document, UnfitError


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
