"""The types of a tool's definition in `catalog.py`: plain data with the keys of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypeAlias, TypedDict

Fields: TypeAlias = Mapping[str, Any]
"""The fields of a part of a definition, as `spec.schema.json` describes them."""


class ToolDefinition(TypedDict, total=False):
    """One tool. Keys that the spec leaves out are absent here, too; `x-*` keys of the spec are kept."""

    name: Required[str]
    py_name: NotRequired[str]  # in generated definitions, as is class_name
    class_name: NotRequired[str]
    title: str
    description: Required[str]  # as published: use_when, avoid_when and returns are part of it
    use_when: str
    avoid_when: str
    returns: str
    version: str
    tags: Sequence[str]
    icons: Sequence[Mapping[str, Any]]
    annotations: Mapping[str, Any]
    input_schema: Required[dict[str, Any]]
    output_schema: dict[str, Any]
    errors: Sequence[Fields]
    confirm: Fields
    asks: bool
    inject: Sequence[Fields]
    stream: Fields
    content: Sequence[Fields] | Literal["any"]
    max_result_bytes: int
    page: Fields
    auth: Fields
    timeout: float  # seconds
    background: Fields
    rate_limit: Fields
    idempotency: Fields
    concurrency: int  # calls at the same time
    group: str
    load: Literal["always", "deferred"]
    examples: Sequence[Mapping[str, Any]]  # generated definitions have name and input of those without error
    aliases: Sequence[str]
    deprecated: Fields
    final_answer: bool
    coerce: bool
    meta: Mapping[str, Any]
    targets: Mapping[str, Any]
