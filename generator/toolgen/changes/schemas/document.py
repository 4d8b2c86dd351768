"""A schema document while it is compared: its subschemas with the keywords behind their references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.document import Draft, JsonPath, Located, SchemaDocument
from toolgen.schema.keywords import CONSTRAINING


@dataclass(frozen=True, slots=True)
class Held:
    """The value of a keyword, and the path of the subschema that has it."""

    value: Any
    holder: JsonPath


@dataclass(frozen=True, slots=True)
class View:
    """A subschema as it reads when its references are followed."""

    home: JsonPath  # of the subschema at the end of its references
    keywords: Mapping[str, Held]

    def holder(self, keyword: str) -> JsonPath:
        """Return the path of the subschema that has the keyword, or would have it."""
        found = self.keywords.get(keyword)
        return self.home if found is None else found.holder


class Document:
    """A schema to be compared with another one: how it writes its references is no difference."""

    def __init__(self, document: SchemaDocument) -> None:
        self.document = document.plain
        self.schema = self.document.schema
        self.draft = self.document.draft or Draft.DRAFT_2020_12

    @property
    def is_plain(self) -> bool:
        """True if every reference names a place by itself: no call decides which."""
        return self.document.is_plain

    def resolve(self, reference: object) -> Located | None:
        """Return what a local reference names; None if it names nothing that can be known without context."""
        target = self.document.target(reference) if self.is_plain else None
        return target if isinstance(target, Located) else None

    def view(self, path: JsonPath, node: Mapping[str, Any], *, follow: bool = True) -> View:
        """Return the subschema `node` at `path` with the keywords behind its `$ref`, unless not `follow`.

        Annotations beside a reference hide those behind it.
        """
        keywords: dict[str, Held] = {}
        seen = {path}
        while True:
            target = self.resolve(node.get("$ref")) if follow and "$ref" in node else None
            is_end = (
                target is None
                or not isinstance(target.value, dict)
                or target.path in seen
                or self.has_siblings(node)
            )
            for keyword, value in node.items():
                if keyword == "$ref" and not is_end:
                    continue
                if not is_end and keyword in CONSTRAINING:
                    continue  # draft-07 ignores them
                keywords.setdefault(keyword, Held(value, path))
            if is_end or target is None:
                return View(path, keywords)
            path, node = target.path, target.value
            seen.add(path)

    def has_siblings(self, node: Mapping[str, Any]) -> bool:
        """True if `node` has a reference and, beside it, keywords that decide which values it accepts."""
        return (
            self.draft is not Draft.DRAFT_7
            and "$ref" in node
            and any(keyword in CONSTRAINING and keyword != "$ref" for keyword in node)
        )


def is_true(schema: object) -> bool:
    """True for `true` and `{}`, which accept every value."""
    return schema is True or schema == {}
