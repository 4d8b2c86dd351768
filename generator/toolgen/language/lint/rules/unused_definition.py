"""unused-definition: an entry of `$defs` that nothing refers to.

Example:

    properties: {price: {type: number}}
    $defs: {Money: {type: number}}

Use instead:

    properties: {price: {$ref: "#/$defs/Money"}}
    $defs: {Money: {type: number}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import Located, subschemas

_ANCHORS: Final = frozenset(("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"))


def check(bound: Bound) -> Iterator[Diagnostic]:
    """Warn about each definition of the schema itself that no reference leads to, through used ones only."""
    names = {(key, name) for key in ("$defs", "definitions") for name in bound.schema.get(key, {})}
    if not names:
        return
    uses: dict[tuple[str, str] | None, set[tuple[str, str]]] = {None: set()}
    for path, node in subschemas(bound.schema):
        # names of other kinds may lead anywhere
        if not _ANCHORS.isdisjoint(node):
            return
        if "$ref" not in node:
            continue
        target = bound.document.target(node["$ref"], path)
        if not isinstance(target, Located):
            return
        if len(target.path) >= 2:
            holder = (str(path[0]), str(path[1])) if len(path) >= 2 and path[:2] in names else None
            uses.setdefault(holder, set()).add((str(target.path[0]), str(target.path[1])))
    used: set[tuple[str, str]] = set()
    waiting = [*uses[None]]
    while waiting:
        if (each := waiting.pop()) not in used:
            used.add(each)
            waiting += uses.get(each, ())
    for key, name in sorted(names - used):
        if name not in bound.copied:
            yield Diagnostic(
                bound.key((key, name)),
                "unused-definition",
                f"nothing refers to {quoted(name)}",
                "remove it: models are sent it with every request; `toolgen lint --fix` does",
            )
