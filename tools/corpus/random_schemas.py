"""Random schemas of objects: every keyword of both drafts, in any combination, with unusual names."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from toolgen.schema.document import Draft

from tools.breaking.schema_writer import NAMES, SchemaWriter

_NAMES: Final = (
    *NAMES, "class", "fooBar", "foo-bar", "foo_bar", "_meta", "model_config", "model_fields", "model_dump_x",
    "json", "schema", "copy", "ﬁ", "fi", "int", "x.y", "self", "properties", "Field", "🙂", "a b", "None",
    "__init__", "_", "1", "validate", "dict", "StartTime<", "StartTime>", "items", "list", "Any", "Literal",
)  # fmt: skip
"""Names that Python, Pydantic or a generated module could take for something else."""


class _Writer(SchemaWriter):
    def names(self, least: int) -> list[str]:
        return self.random.sample(_NAMES, self.random.randint(least, 4))

    def keywords_for(self, kind: str, depth: int) -> list[str]:
        # jsonschema ignores what draft 2020-12 has replaced, and jsonschema-rs enforces it
        known = super().keywords_for(kind, depth)
        return [each for each in known if each != "dependencies" or self.draft is Draft.DRAFT_7]


def schema_of(seed: int, draft7: bool) -> dict[str, Any]:
    """Return a schema of an object; the same for the same seed."""
    draft = Draft.DRAFT_7 if draft7 else Draft.DRAFT_2020_12
    writer = _Writer(Random(seed), draft, boundary=seed % 2 == 0)
    root = writer.typed("object", 2)
    properties = writer.value("properties", 3)
    made: dict[str, Any] = writer.document(
        {**root, "type": "object", "properties": properties}, writer.definitions
    )
    return made
