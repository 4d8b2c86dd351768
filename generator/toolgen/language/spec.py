"""The classes of a valid spec, version 1: one for each mapping of the language, nothing derived.

Which values are valid is said in `runtime/definition/spec_schema.py`. A spec is validated before it becomes a
`Spec`, which only gives each part its type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from toolgen.language.targets.definition import TargetOptions
from toolgen.language.targets.options import Targets
from toolgen.schema.document import JsonObject

SHARED_FILE_KEYS = frozenset(("$defs", "$schema", "$comment"))
"""Top-level keys of a file of shared schemas; a file with any other key is a tool."""

_IMPORT_HEADER: Final = re.compile(r"^# Imported by `toolgen import ([a-z]+)`", re.MULTILINE)


class SpecPart(BaseModel):
    """A mapping of the spec language: strict types, no unknown keys, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Icon(SpecPart):
    """An icon as MCP has it (`Icon`, 2025-11-25)."""

    # MCP 2025-11-25 has further members, `theme` for one, which clients get as they are written.
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    src: str
    mimeType: str | None = None
    sizes: list[str] | None = None


class Annotations(SpecPart):
    """Hints as MCP has them (`ToolAnnotations`); any further key is carried."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    title: str | None = None
    readOnlyHint: bool | None = None
    destructiveHint: bool | None = None
    idempotentHint: bool | None = None
    openWorldHint: bool | None = None


class ErrorSpec(SpecPart):
    """An error that the tool declares: a code to act on, and what to do about it."""

    code: str
    description: str
    retryable: bool = False
    hint: str = ""


class Confirm(SpecPart):
    """The question to the user before the tool acts."""

    message: str
    preview: bool = False
    only_if: str | None = None
    on_unsupported: Literal["deny", "two_step", "allow"] = "deny"
    proof: Literal["client", "person"] = "client"
    approvers: list[str] = []
    quorum: int = 1


class Inject(SpecPart):
    """A value that the application gives and the model never sees."""

    name: str
    type: str = "typing.Any"
    optional: bool = False


class Stream(SpecPart):
    """Results arrive in chunks of this shape."""

    chunk_schema: JsonObject


class ContentSpec(SpecPart):
    """Blocks of one kind that a result may hold beside, or instead of, the response."""

    type: Literal["image", "audio", "file", "link", "text"]
    media_types: list[str] = []
    description: str | None = None
    min: int = 0
    max: int | None = None
    max_bytes: int | None = None
    audience: list[Literal["user", "assistant"]] = []
    priority: int | float | None = None


class Page(SpecPart):
    """Where the response has items and the next cursor, and the request its cursor: JSON Pointers."""

    items: str
    cursor: str
    from_: str = Field(alias="from")


class Auth(SpecPart):
    """Scopes that callers need, and secrets that the implementation needs."""

    scopes: list[str] = []
    secrets: list[str] = []


class Background(SpecPart):
    """The call may run in a worker on a queue, and its result is kept."""

    result_ttl: int


class RateLimit(SpecPart):
    """How many calls each principal may make, over all replicas that share a store."""

    per_second: int | None = None
    per_minute: int | None = None


class Idempotency(SpecPart):
    """A call with a key that was used before gets the answer of the first one, and is not executed."""

    ttl: int


class Example(SpecPart):
    """One call as it should go: an output or a declared error; neither, where only the input matters."""

    name: str
    description: str = ""
    ask: str | None = None
    not_: list[str] = Field([], alias="not")
    input: JsonObject
    output: Any = None
    error: str | None = None


class Deprecated(SpecPart):
    """Since when, and what to use instead."""

    since: str | None = None
    replaced_by: str | None = None
    message: str | None = None
    sunset: str | None = None


class Spec(SpecPart):
    """One tool. Top-level `x-*` keys are carried in `extensions`, in the author's order."""

    toolgen: int = 1
    name: str
    title: str | None = None
    icons: list[Icon] = []
    description: str
    use_when: str | None = None
    avoid_when: str | None = None
    returns: str | None = None
    version: str | None = None
    tags: list[str] = []
    annotations: Annotations | None = None
    input_schema: JsonObject
    output_schema: JsonObject | None = None
    errors: list[ErrorSpec] = []
    confirm: Confirm | None = None
    asks: bool = False
    inject: list[Inject] = []
    stream: Stream | None = None
    auth: Auth | None = None
    timeout: int | float | None = None
    background: Background | None = None
    rate_limit: RateLimit | None = None
    idempotency: Idempotency | None = None
    concurrency: int | None = None
    content: list[ContentSpec] | Literal["any"] = []
    max_result_bytes: int | None = None
    page: Page | None = None
    group: str | None = None
    load: Literal["always", "deferred"] | None = None
    examples: list[Example] = []
    aliases: list[str] = []
    deprecated: Deprecated | None = None
    final_answer: bool = False
    enabled: bool = True
    coerce: bool | None = None
    meta: JsonObject = {}
    targets: Targets = Targets()
    extensions: JsonObject = Field(default={}, exclude=True)  # filled by the step `parse` from the `x-*` keys

    def options_of(self, target: str) -> TargetOptions | None:
        """Return what the spec says of a target; the defaults for a built-in one of which it says nothing."""
        # `getattr` would find the model's methods, too: a target of the project may have any name.
        built_in: Mapping[str, TargetOptions | None] = vars(self.targets)
        if target in built_in:
            return built_in[target]
        return (self.targets.model_extra or {}).get(target)


def imported_kind(text: str) -> str | None:
    """Return the kind of import that wrote a spec, from its header (`openapi`); None if none did."""
    header = _IMPORT_HEADER.search(text)
    return None if header is None else header[1]


def is_shared_file(data: object) -> bool:
    """True if the data of a file below the specs folder is shared schemas rather than a tool."""
    return isinstance(data, Mapping) and data.keys() <= SHARED_FILE_KEYS
