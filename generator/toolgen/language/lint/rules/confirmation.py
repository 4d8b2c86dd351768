"""Rules about tools that destroy: whether the user is asked, and what the question shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.base.suggestions import listed, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool
from toolgen.proof.containment import NotContained, Unanalysed, check_containment
from toolgen.runtime.confirmation.question import MAX_VALUE
from toolgen.schema.document import Schema, SchemaDocument

_SAYS_SO: Final = re.compile(
    r"\bconfirm(ation|ed|s)?\b.{0,20}\b(required|needed|first|before)\b", re.IGNORECASE
)


def destructive_unconfirmed(tool: ProgramTool) -> Iterator[Diagnostic]:
    """destructive-unconfirmed: a destructive tool may act without the user's consent.

    Example:

        annotations: {destructiveHint: true}

    Use instead:

        annotations: {destructiveHint: true}
        confirm: {message: "Delete order {order_id}?", on_unsupported: deny}
    """
    hints, confirm = tool.spec.annotations, tool.spec.confirm
    if hints is None or not hints.destructiveHint or hints.readOnlyHint:
        return
    if confirm is None:
        # an imported tool may ask by itself, and says so in its description
        if tool.spec.asks or _SAYS_SO.search(tool.spec.description):
            return
        yield Diagnostic(
            tool.source.value(("annotations", "destructiveHint")),
            "destructive-unconfirmed",
            "this destructive tool acts without asking the user",
            "add `confirm: {message: …}`; or destructiveHint: false, if it only adds",
        )
    elif confirm.on_unsupported == "allow":
        yield Diagnostic(
            tool.source.value(("confirm", "on_unsupported")),
            "destructive-unconfirmed",
            "this destructive tool acts without confirmation if the client cannot ask the user",
            "use `deny`, or `two_step`, with which the application asks",
        )


_PLACEHOLDER: Final = re.compile(r"\{([^{}|]+)\}")  # `{list|count}` shows a number, and no item
_MOST_NAMES: Final = 12  # that a message lists
_MOST_CHECKED: Final = 20  # values of a question: each comparison may take a second
_SHORT: Final[Schema] = {  # values beyond these limits are certainly cut
    # Digits of dates, times and durations are not limited by their formats, and nobody hides a text in them.
    "anyOf": [{"maxLength": MAX_VALUE}, {"pattern": "^[*-:TtZzPYMWDHS]*$"}],
    "maxItems": MAX_VALUE // 3,  # an item takes at least three characters of JSON, with its comma and blank
    "maxProperties": MAX_VALUE // 7,
    "items": {"$ref": "#/$defs/short"},
    "additionalProperties": {"$ref": "#/$defs/short"},
}


def unshown_property(tool: ProgramTool) -> Iterator[Diagnostic]:
    """unshown-property: a confirmed tool acts on a property that its question does not wholly show.

    Example:

        confirm: {message: "Continue?"}

    Use instead:

        confirm: {message: "Continue with order {order_id}?"}
    """
    confirm = tool.spec.confirm
    if confirm is None or confirm.preview or not isinstance(tool.input_schema, Mapping):
        return
    shown = [tuple(match[1].strip().split(".")) for match in _PLACEHOLDER.finditer(confirm.message)]
    document = tool.documents["input_schema"].plain
    if missing := [".".join(path) for path in _unshown(document, [document.schema], shown)]:
        yield _warning(
            tool,
            f"the user agrees without seeing {_listed(missing)}",
            "name them in the message, or set `preview: true` and show them there",
        )
    checked = list(dict.fromkeys(shown))[:_MOST_CHECKED]
    if cut := [".".join(path) for path in checked if _may_be_cut(tool.documents["input_schema"], path)]:
        yield _warning(
            tool,
            f"the question shows {MAX_VALUE} characters of a value, and there may be more of {_listed(cut)}",
            f"set `preview: true` and show all of it there, or limit it, with `maxLength: {MAX_VALUE}` for "
            "example",
        )


def _warning(tool: ProgramTool, message: str, hint: str) -> Diagnostic:
    return Diagnostic(tool.source.value(("confirm", "message")), "unshown-property", message, hint)


def _listed(names: Sequence[str]) -> str:
    return listed(list(map(quoted, names)), _MOST_NAMES)


def _may_be_cut(document: SchemaDocument, path: Sequence[str]) -> bool:
    """True if a valid request has a value at `path` that is too long for a question."""
    short: Schema = {"$ref": "#/$defs/short"}
    for name in reversed(path):
        short = {"properties": {name: short}}
    verdict = check_containment(document, {**short, "$defs": {"short": _SHORT}})
    # No pattern says what a URL or an address is, so no long one is found; both may be long.
    return isinstance(verdict, NotContained) or (
        isinstance(verdict, Unanalysed) and verdict.path[-1:] == ("format",)
    )


def _unshown(
    document: SchemaDocument, schemas: list[Any], shown: Sequence[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield the paths of properties that no path in `shown` leads to, with all that is in them."""
    for name, inner in _properties(document, schemas).items():
        deeper = [path[1:] for path in shown if path[0] == name]
        if any(not path for path in deeper) or all(
            isinstance(each, dict) and "const" in each for each in inner
        ):
            continue  # shown as a whole, or without a choice
        below = [] if not deeper else [(name, *path) for path in _unshown(document, inner, deeper)]
        if not deeper or not _properties(document, inner):
            below = [(name,)]
        yield from below


def _properties(document: SchemaDocument, schemas: list[Any]) -> dict[str, list[Any]]:
    """Return the schemas of each property of a value that `schemas` describe."""
    found: dict[str, list[Any]] = {}
    for node in document.same_value_schemas(schemas):
        for name, inner in node.get("properties", {}).items():
            found.setdefault(name, []).append(inner)
    return found
