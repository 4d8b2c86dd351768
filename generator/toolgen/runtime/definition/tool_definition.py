"""The types of a tool's definition in `catalog.py`: plain data with the keys of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict


class ErrorDefinition(TypedDict):
    """An error that the tool declares."""

    code: str
    description: str
    retryable: NotRequired[bool]
    hint: NotRequired[str]


class ConfirmDefinition(TypedDict):
    """The question to the user before the tool acts."""

    message: str
    preview: NotRequired[bool]
    only_if: NotRequired[str]  # JSON Pointer of a boolean of the request
    on_unsupported: NotRequired[Literal["deny", "two_step", "allow"]]


class InjectDefinition(TypedDict):
    """A value that the application provides and the model never sees."""

    name: str
    type: NotRequired[str]
    optional: NotRequired[bool]  # None is injected if the application has no value


class StreamDefinition(TypedDict):
    """A result in chunks, with the schema of each."""

    chunk_schema: dict[str, Any]


class BackgroundDefinition(TypedDict):
    """How many seconds the result of a call that a worker has run is kept."""

    result_ttl: int


class RateLimitDefinition(TypedDict, total=False):
    """How many calls each principal may make in any second, and in any minute."""

    per_second: int
    per_minute: int


class IdempotencyDefinition(TypedDict):
    """How many seconds a key of a caller, and the answer to it, are kept."""

    ttl: int


class ContentDefinition(TypedDict):
    """Blocks of one kind that a result may hold."""

    type: Literal["image", "audio", "file", "link", "text"]
    media_types: NotRequired[Sequence[str]]  # "image/png", or "image/*"
    description: NotRequired[str]
    min: NotRequired[int]
    max: NotRequired[int]
    max_bytes: NotRequired[int]  # of each block
    audience: NotRequired[Sequence[Literal["user", "assistant"]]]
    priority: NotRequired[float]


PageDefinition = TypedDict("PageDefinition", {"items": str, "cursor": str, "from": str})
"""JSON Pointers: of items and next cursor in the response, and of the cursor in the request."""


class AuthDefinition(TypedDict, total=False):
    """The scopes that a caller needs, and the environment variables that contain secrets."""

    scopes: Sequence[str]
    secrets: Sequence[str]


class DeprecatedDefinition(TypedDict, total=False):
    """Since when a tool is deprecated, and what to use instead."""

    since: str
    replaced_by: str
    message: str
    sunset: str


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
    errors: Sequence[ErrorDefinition]
    confirm: ConfirmDefinition
    asks: bool
    inject: Sequence[InjectDefinition]
    stream: StreamDefinition
    content: Sequence[ContentDefinition] | Literal["any"]
    max_result_bytes: int
    page: PageDefinition
    auth: AuthDefinition
    timeout: float  # seconds
    background: BackgroundDefinition
    rate_limit: RateLimitDefinition
    idempotency: IdempotencyDefinition
    concurrency: int  # calls at the same time
    group: str
    load: Literal["always", "deferred"]
    examples: Sequence[Mapping[str, Any]]  # generated definitions have name and input of those without error
    aliases: Sequence[str]
    deprecated: DeprecatedDefinition
    final_answer: bool
    coerce: bool
    meta: Mapping[str, Any]
    targets: Mapping[str, Any]
