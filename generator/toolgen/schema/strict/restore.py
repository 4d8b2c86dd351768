"""Restore arguments in strict form to what the author's schema means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgen.schema.document import SchemaDocument
from toolgen.schema.strict.convert import root_alternative
from toolgen.schema.strict.normal_form import Alternative, NormalForm, NoStrictFormError


def restorer(document: SchemaDocument) -> Callable[[Any], Any]:
    """Return a function that removes nulls of optional properties, which the strict form of a schema adds."""
    form = NormalForm(document)

    def restore_arguments(arguments: Any) -> Any:
        try:
            return _restored(form, [root_alternative(form)[0]], arguments)
        except NoStrictFormError:  # nothing was converted, so there is nothing to restore
            return arguments

    return restore_arguments


def _restored(form: NormalForm, alternatives: Sequence[Alternative], value: Any) -> Any:
    if isinstance(value, dict):
        chosen = _choose(form, alternatives, value)
        if chosen is None:
            return value
        properties = form.properties(chosen)
        return {
            name: _restored(form, form.alternatives(properties[name]), each) if name in properties else each
            for name, each in value.items()
            # A model has no other word for "nothing", so null of a nullable property is absent, too: a tool
            # must not clear what the call did not speak of.
            if each is not None or name not in properties or name in chosen.required
        }
    if isinstance(value, list):
        chosen = _choose(form, alternatives, value)
        if chosen is None or chosen.items is None:
            return value
        items = form.alternatives(chosen.items)
        return [_restored(form, items, each) for each in value]
    return value


def _choose(form: NormalForm, alternatives: Sequence[Alternative], value: Any) -> Alternative | None:
    """Return the alternative that `value` was written for: the only one, or the first that it matches."""
    json_type = "object" if isinstance(value, dict) else "array"
    candidates = [each for each in alternatives if each.type == json_type]
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    for exact in (True, False):
        for candidate in candidates:
            if _matches(form, candidate, value, exact=exact):
                return candidate
    return None


def _matches(form: NormalForm, alternative: Alternative, value: Any, *, exact: bool) -> bool:
    """True if `value` has the shape of `alternative`: in strict form or, if not `exact`, with absences."""
    if not alternative.admits(value):
        return False
    if isinstance(value, list):
        if alternative.items is None:
            return True
        items = form.alternatives(alternative.items)
        return all(any(_matches(form, item, each, exact=exact) for item in items) for each in value)
    if not isinstance(value, dict):
        return True
    properties = form.properties(alternative)
    missing = properties.keys() - value.keys()
    if value.keys() - properties.keys() or (missing if exact else missing & alternative.required):
        return False
    return all(
        (each is None and name not in alternative.required)
        or any(_matches(form, inner, each, exact=exact) for inner in form.alternatives(properties[name]))
        for name, each in value.items()
    )
