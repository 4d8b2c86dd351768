"""Rules about references, and about definitions that none leads to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedNode
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import Draft, JsonPath, Located, subschemas

_HARMLESS = {"$ref", "description", "title", "$comment", "default"}  # nothing to enforce


def ignored_sibling(part: LintedNode) -> Iterator[Diagnostic]:
    """ignored-sibling: keywords beside a `$ref` in draft-07, which ignores them.

    Example:

        $schema: http://json-schema.org/draft-07/schema#
        properties:
          amount: {$ref: "#/definitions/Money", minimum: 1}

    Use instead:

        properties:
          amount: {allOf: [{$ref: "#/definitions/Money"}, {minimum: 1}]}
    """
    if part.schema.draft is Draft.DRAFT_7 and part.keywords.keys() - _HARMLESS:
        yield Diagnostic(
            part.key("$ref"),
            "ignored-sibling",
            "draft-07 ignores every keyword beside a `$ref`",
            "put the `$ref` into `allOf`, or drop `$schema` for 2020-12",
        )


_DEFINITIONS: Final = ("$defs", "definitions")


def lost_reference(bound: Bound) -> Iterator[Diagnostic]:
    """lost-reference: a `$ref` in the input schema that some clients do not follow.

    Example:

        properties: {price: {$ref: "#/$defs/Money"}}
        $defs: {Money: {type: number}}

    Use instead:

        properties: {price: {type: number}}
    """
    if bound.path != ("input_schema",):
        return
    for path, node in subschemas(bound.schema):
        if "$ref" in node and not (path and path[0] in _DEFINITIONS):
            yield Diagnostic(
                bound.key((*path, "$ref")),
                "lost-reference",
                "clients that do not follow `$ref` show a model no type for this value",
                'set `[mcp] references = "inline"`, or `targets: {mcp: {inline: true}}` in the spec',
            )
            return  # once


def undecided_reference(part: LintedNode) -> Iterator[Diagnostic]:
    """undecided-reference: a `$dynamicRef` that names several schemas, one of which a call decides.

    Example:

        folder: {$id: folder, $dynamicAnchor: node, properties: {child: {$dynamicRef: "#node"}}}
        closed: {$id: closed, $dynamicAnchor: node, $ref: folder}

    Use instead:

        folder: {$id: folder, properties: {child: {$ref: "#"}}}
    """
    for keyword, target in part.schema.bound.document.references(part.keywords, part.path):
        if not isinstance(target, Located) and target.candidates:
            count = f"one of {len(target.candidates)} schemas"
            yield Diagnostic(
                part.value(keyword),
                "undecided-reference",
                f"{quoted(part.keywords[keyword])} names {count}, as a call decides; "
                "its type in models is `Any`",
                "use `$ref` if it is always the same schema",
            )


_ANCHORS: Final = frozenset(("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"))


def unused_definition(bound: Bound) -> Iterator[Diagnostic]:
    """unused-definition: an entry of `$defs` that nothing refers to.

    Example:

        properties: {price: {type: number}}
        $defs: {Money: {type: number}}

    Use instead:

        properties: {price: {$ref: "#/$defs/Money"}}
        $defs: {Money: {type: number}}
    """
    names = {(key, name) for key in _DEFINITIONS for name in bound.schema.get(key, {})}
    if not names:
        return
    uses: dict[JsonPath, set[JsonPath]] = {}  # definition → those that it refers to; () for the rest
    for path, node in subschemas(bound.schema):
        # names of other kinds may lead anywhere
        if not _ANCHORS.isdisjoint(node):
            return
        target = bound.document.target(node.get("$ref", "#"), path)
        if not isinstance(target, Located):
            return
        uses.setdefault(path[:2] if path[:2] in names else (), set()).add(target.path[:2])
    used: set[JsonPath] = set()
    waiting: list[JsonPath] = [()]
    while waiting:
        if (each := waiting.pop()) not in used:
            used.add(each)
            waiting += uses.get(each, ())
    for key, name in sorted(names.difference(used)):
        if name not in bound.copied:
            yield Diagnostic(
                bound.key((key, name)),
                "unused-definition",
                f"nothing refers to {quoted(name)}",
                "remove it: models are sent it with every request; `toolgen lint --fix` does",
            )
