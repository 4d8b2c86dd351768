"""The space of schema edits: every keyword, every edit that its value can have, both directions.

The space is derived and not listed: `schema/keywords.py` says which keywords there are, the kind of a
keyword's value says how it can change. Tests check that each edit is claimed, so that none passes unjudged.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from toolgen.schema.keywords import ALL_REFERENCES, SCHEMA_LISTS, SCHEMA_MAPS, SINGLE_SCHEMA


class Direction(enum.Enum):
    """Who sends the values of a schema. It decides which side of a change must accept more."""

    REQUEST = "request"
    """Callers send them: the new schema must accept every value that the old one accepts."""
    RESPONSE = "response"
    """The tool sends them, chunks of a stream too: the old schema must accept every value of the new one."""


class ValueKind(enum.Enum):
    """The kind of a keyword's value, as far as it decides how the value can change."""

    BOUND = "bound"
    """A number that limits: `maximum`, `minLength`."""
    DIVISOR = "divisor"
    """A positive number: `multipleOf`."""
    FLAG = "flag"
    """True or false, where no value means false: `uniqueItems`."""
    TEXT = "text"
    """`pattern`, `format`, `description`."""
    VALUE = "value"
    """Any JSON value: `const`, `default`."""
    VALUES = "values"
    """A list of JSON values: `enum`, `examples`."""
    TYPES = "types"
    """One JSON type or several: `type`."""
    NAMES = "names"
    """A list of property names: `required`."""
    NAME_LISTS = "name lists"
    """A list of property names for each of some properties: `dependentRequired`."""
    SCHEMA = "schema"
    """`additionalProperties`, `not`."""
    SCHEMA_LIST = "schema list"
    """`anyOf`, `prefixItems`."""
    SCHEMA_MAP = "schema map"
    """`patternProperties`, `$defs`."""
    PROPERTIES = "properties"
    """The map of schemas whose names `required` may list."""
    REFERENCE = "reference"
    """`$ref`."""


class Edit(enum.Enum):
    """How the value of a keyword changed."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RAISED = "raised"
    LOWERED = "lowered"
    COARSENED = "coarsened"
    """The new divisor is a multiple of the old one."""
    REFINED = "refined"
    """The old divisor is a multiple of the new one."""
    SET = "set"
    """From absent or false to true."""
    CLEARED = "cleared"
    """From true to false or absent."""
    VALUE_ADDED = "value-added"
    VALUE_REMOVED = "value-removed"
    REORDERED = "reordered"
    WIDENED = "widened"
    """All types stay, others are added. `number` includes `integer`."""
    NARROWED = "narrowed"
    NAME_ADDED = "name-added"
    NAME_REMOVED = "name-removed"
    ENTRY_ADDED = "entry-added"
    ENTRY_ADDED_REQUIRED = "entry-added-required"
    """A property, together with its name in `required`."""
    ENTRY_REMOVED = "entry-removed"
    ENTRY_CHANGED = "entry-changed"
    """One schema of a list or of a map is another one, beyond edits of its keywords: `true` to `false`."""
    OPENED = "opened"
    """From false or a schema to true or `{}`."""
    CLOSED = "closed"
    """From true, `{}` or a schema to false."""
    RESTRICTED = "restricted"
    """From true or `{}` to a schema."""
    ALLOWED = "allowed"
    """From false to a schema."""
    FOLDED = "folded"
    """A schema became a reference to an equal schema."""
    UNFOLDED = "unfolded"
    """A reference became a copy of what it refers to."""
    REDIRECTED = "redirected"
    """The reference names another schema."""
    SIBLING_ADDED = "sibling-added"
    """Another keyword appeared beside the reference. Draft-07 ignores it."""
    SIBLING_REMOVED = "sibling-removed"


_PRESENCE: Final = (Edit.ADDED, Edit.REMOVED)
_ENTRIES: Final = (Edit.ENTRY_ADDED, Edit.ENTRY_REMOVED, Edit.ENTRY_CHANGED)

EDITS: Final[Mapping[ValueKind, tuple[Edit, ...]]] = {
    ValueKind.BOUND: (*_PRESENCE, Edit.RAISED, Edit.LOWERED),
    ValueKind.DIVISOR: (*_PRESENCE, Edit.COARSENED, Edit.REFINED, Edit.CHANGED),
    ValueKind.FLAG: (Edit.SET, Edit.CLEARED),
    ValueKind.TEXT: (*_PRESENCE, Edit.CHANGED),
    ValueKind.VALUE: (*_PRESENCE, Edit.CHANGED),
    ValueKind.VALUES: (*_PRESENCE, Edit.VALUE_ADDED, Edit.VALUE_REMOVED, Edit.REORDERED),
    ValueKind.TYPES: (*_PRESENCE, Edit.WIDENED, Edit.NARROWED, Edit.CHANGED, Edit.REORDERED),
    ValueKind.NAMES: (Edit.NAME_ADDED, Edit.NAME_REMOVED, Edit.REORDERED),
    ValueKind.NAME_LISTS: (Edit.ENTRY_ADDED, Edit.ENTRY_REMOVED, Edit.NAME_ADDED, Edit.NAME_REMOVED),
    ValueKind.SCHEMA: (*_PRESENCE, Edit.OPENED, Edit.CLOSED, Edit.RESTRICTED, Edit.ALLOWED, Edit.CHANGED),
    ValueKind.SCHEMA_LIST: (*_PRESENCE, *_ENTRIES, Edit.REORDERED),
    ValueKind.SCHEMA_MAP: _ENTRIES,
    ValueKind.PROPERTIES: (*_ENTRIES, Edit.ENTRY_ADDED_REQUIRED),
    ValueKind.REFERENCE: (
        *_PRESENCE,
        Edit.FOLDED,
        Edit.UNFOLDED,
        Edit.REDIRECTED,
        Edit.SIBLING_ADDED,
        Edit.SIBLING_REMOVED,
    ),
}
"""The edits that a value of each kind can have. A value that means the same as none at all counts as none."""

OTHER_KEYWORD: Final = "(other)"
"""Stands in the space for every keyword that JSON Schema does not define: `x-unit`, `nullable`."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _kinds() -> dict[str, ValueKind]:
    by_kind = {
        ValueKind.SCHEMA: SINGLE_SCHEMA,
        ValueKind.SCHEMA_LIST: SCHEMA_LISTS,
        ValueKind.SCHEMA_MAP: SCHEMA_MAPS - {"properties"},
        ValueKind.PROPERTIES: ("properties",),
        ValueKind.REFERENCE: ALL_REFERENCES,
        ValueKind.BOUND: _words(
            "exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties maximum "
            "minContains minItems minLength minProperties minimum"
        ),
        ValueKind.DIVISOR: ("multipleOf",),
        ValueKind.FLAG: _words("deprecated readOnly uniqueItems writeOnly"),
        ValueKind.VALUE: ("$vocabulary", "const", "default", OTHER_KEYWORD),
        ValueKind.VALUES: ("enum", "examples"),
        ValueKind.TYPES: ("type",),
        ValueKind.NAMES: ("required",),
        ValueKind.NAME_LISTS: ("dependentRequired",),
        ValueKind.TEXT: _words(
            "$anchor $comment $dynamicAnchor $id $recursiveAnchor $schema contentEncoding contentMediaType "
            "description format pattern title"
        ),
    }
    return {keyword: kind for kind, keywords in by_kind.items() for keyword in keywords}


_KINDS: Final[Mapping[str, ValueKind]] = _kinds()
_TWO_FORMS: Final[Mapping[str, tuple[ValueKind, ValueKind]]] = {
    "items": (ValueKind.SCHEMA, ValueKind.SCHEMA_LIST),
    "dependencies": (ValueKind.SCHEMA_MAP, ValueKind.NAME_LISTS),
}


def value_kinds(keyword: str) -> tuple[ValueKind, ...]:
    """Return the kinds of values of `keyword`, two for `items` and `dependencies`."""
    return _TWO_FORMS.get(keyword) or (_KINDS[keyword],)


def edits_of(keyword: str) -> tuple[Edit, ...]:
    """Return the edits that the value of `keyword` can have."""
    kinds = value_kinds(keyword)
    edits = dict.fromkeys(edit for kind in kinds for edit in EDITS[kind])
    if len(kinds) > 1:
        edits[Edit.CHANGED] = None  # from one form to the other
    return tuple(edits)
