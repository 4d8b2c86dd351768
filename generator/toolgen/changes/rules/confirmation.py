"""Rules about `confirm` and `asks`: whom they stop, and what the user sees of a call before it acts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import REQUEST, Contract
from toolgen.changes.rule import FieldEdit, ToolPair
from toolgen.language.spec import Confirm
from toolgen.runtime.definition.semantics.pointers import Placeholder, placeholders
from toolgen.runtime.definition.semantics.properties import find_property

_FROM_STRICT: Final = ("deny", "two_step", "allow")


def confirm_added(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is None or new.on_unsupported == "allow" or (old is not None and old.on_unsupported != "allow"):
        return
    path = ("confirm",) if old is None else ("confirm", "on_unsupported")
    what = "confirmation added" if old is None else "confirmation is now enforced"
    yield FieldEdit(path, f"{what}: on_unsupported is {new.on_unsupported}", new.on_unsupported)


def confirm_stricter(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old and new and (old.on_unsupported, new.on_unsupported) == ("two_step", "deny"):
        yield FieldEdit(("confirm", "on_unsupported"), "on_unsupported changed from two_step to deny")
    if new and new.only_if and (old is None or old.only_if != new.only_if):
        yield FieldEdit(
            ("confirm", "only_if"), f"calls with {quoted(new.only_if)} false do not act", new.only_if
        )
    if old and new:
        yield from _weaker_proof(new, old, is_stricter=True)


def confirm_text_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    # A question that shows less is `confirm-weakened`.
    if old and new and old.message != new.message and not any(_values_not_shown(pair.old, pair.new)):
        yield FieldEdit(("confirm", "message"), "question to the user changed", new.message)


def confirm_weakened(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old is None:
        return
    if new is None:
        yield FieldEdit(("confirm",), "confirmation removed", "removed")
        return
    if _FROM_STRICT.index(new.on_unsupported) > _FROM_STRICT.index(old.on_unsupported):
        message = f"on_unsupported changed from {old.on_unsupported} to {new.on_unsupported}"
        yield FieldEdit(("confirm", "on_unsupported"), message, [old.on_unsupported, new.on_unsupported])
    yield from _weaker_proof(old, new)
    if old.preview and not new.preview:
        yield FieldEdit(("confirm", "preview"), "the user no longer sees a preview")
    if old.only_if is not None and new.only_if != old.only_if:
        yield FieldEdit(("confirm", "only_if"), f"calls with {quoted(old.only_if)} false act", old.only_if)
    for value in _values_not_shown(pair.old, pair.new):
        yield FieldEdit(("confirm", "message"), f"the question no longer shows {quoted(value)}", value)


def _weaker_proof(strict: Confirm, weak: Confirm, *, is_stricter: bool = False) -> Iterator[FieldEdit]:
    """Yield the fields by which `weak` needs less of people than `strict`, the older version.

    With `is_stricter`, `weak` is the older version.
    """
    old, new = (weak, strict) if is_stricter else (strict, weak)
    if strict.proof == "person" != weak.proof:
        message = f"proof changed from {old.proof} to {new.proof}"
        yield FieldEdit(("confirm", "proof"), message, [old.proof, new.proof])
    if strict.proof != "person" or weak.proof != "person":
        return
    # without a list, everybody in the approvers file
    if strict.approvers and not (weak.approvers and {*weak.approvers} <= {*strict.approvers}):
        lists = [", ".join(each.approvers) or "everybody" for each in (old, new)]
        message = f"approvers changed from {quoted(lists[0])} to {quoted(lists[1])}"
        yield FieldEdit(("confirm", "approvers"), message, lists)
    if strict.quorum > weak.quorum:
        message = f"quorum changed from {old.quorum} to {new.quorum}"
        yield FieldEdit(("confirm", "quorum"), message, [old.quorum, new.quorum])


def safety_improved(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is not None and old is None and new.on_unsupported == "allow":
        yield FieldEdit(("confirm",), "the user is asked where the client can ask", "added")
    if old is None or new is None:
        return
    if new.preview and not old.preview:
        yield FieldEdit(("confirm", "preview"), "the user sees a preview")
    for value in _values_not_shown(pair.new, pair.old):
        yield FieldEdit(("confirm", "message"), f"the question shows {quoted(value)}, too", value)


def preview_required(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is not None and new.preview and not (old is not None and old.preview):
        yield FieldEdit(("confirm", "preview"), "the implementation must offer preview()")


def _values_not_shown(before: Contract, after: Contract) -> Iterator[str]:
    """Yield the placeholders of `before` whose values the user cannot see in `after`, which asks, too.

    A preview can show every value. A value that the request of `after` cannot have need not be shown.
    """
    asked, asks = before.spec.confirm, after.spec.confirm
    if asked is None or asks is None or asks.preview:
        return
    shown = placeholders(asks.message)
    for each in dict.fromkeys(placeholders(asked.message)):
        if not any(_covers(other, each) for other in shown) and _can_have(after, each):
            yield each.written


def _covers(shown: Placeholder, other: Placeholder) -> bool:
    """True if the user who sees `shown` sees the other value: an object shows its properties."""
    if shown.is_counted:
        return shown == other
    return other.path[: len(shown.path)] == shown.path


def _can_have(contract: Contract, placeholder: Placeholder) -> bool:
    request = contract.documents.get(REQUEST)
    return request is None or find_property(request, placeholder.path).missing is None
