"""What protects users: the values that a question shows, and the hints by which clients decide to ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolgen.compat.contract import REQUEST, Contract
from toolgen.data.spec import Spec
from toolgen.semantics.placeholders import Placeholder, placeholders
from toolgen.semantics.properties import find_property

HINT_DEFAULTS: Final[Mapping[str, bool]] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""Hint → its value if a spec leaves it out, as in MCP's `ToolAnnotations`."""

HINTS_OF_WRITING_TOOLS: Final = ("destructiveHint", "idempotentHint")
"""Hints that clients ignore beside `readOnlyHint: true`, as MCP says of them."""


def hint(spec: Spec, name: str) -> bool:
    """Return a hint of a spec, or its default."""
    found = getattr(spec.annotations, name, None)
    return HINT_DEFAULTS[name] if found is None else bool(found)


def is_hint_read(spec: Spec, name: str) -> bool:
    """True if clients read the hint: of a read-only tool, some mean nothing."""
    return name not in HINTS_OF_WRITING_TOOLS or not hint(spec, "readOnlyHint")


def values_not_shown(before: Contract, after: Contract) -> Iterator[str]:
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
    schema = contract.schemas.get(REQUEST)
    return not isinstance(schema, dict) or find_property(schema, placeholder.path).missing is None
