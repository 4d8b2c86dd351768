"""The drafts of JSON Schema that specs may use."""

from __future__ import annotations

from collections.abc import Mapping

import jsonschema_rs

DRAFTS: Mapping[str, int] = {
    "https://json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012,
    "https://json-schema.org/draft/2020-12/schema#": jsonschema_rs.Draft202012,
    "http://json-schema.org/draft-07/schema": jsonschema_rs.Draft7,
    "http://json-schema.org/draft-07/schema#": jsonschema_rs.Draft7,
    "https://json-schema.org/draft-07/schema": jsonschema_rs.Draft7,
    "https://json-schema.org/draft-07/schema#": jsonschema_rs.Draft7,
}


def draft_of(named: object) -> int | None:
    """The draft that a `$schema` names; 2020-12 where there is none, None for one that is not read."""
    return (
        jsonschema_rs.Draft202012 if named is None else DRAFTS.get(named) if isinstance(named, str) else None
    )
