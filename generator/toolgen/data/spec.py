"""The spec language, version 1: one pydantic class per YAML mapping, nothing derived.

Shapes only: what needs a second look (schemas, examples, placeholders) is checked by the steps.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NAME = r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$"
CODE = r"^[a-z][a-z0-9_]{0,63}$"
IDENTIFIER = r"^[a-z_][a-zA-Z0-9_]{0,63}$"
DOTTED = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"

Text = Annotated[str, StringConstraints(min_length=1)]
JsonObject = dict[str, Any]


class Part(BaseModel):
    """A mapping of the language: strict types, no unknown keys, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Icon(Part):
    """An icon as MCP has it (`Icon`, 2025-11-25)."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    src: Text
    mimeType: str | None = None
    sizes: list[str] | None = None


class Annotations(Part):
    """Hints as MCP has them (`ToolAnnotations`); any further key is carried."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    title: str | None = None
    readOnlyHint: bool | None = None
    destructiveHint: bool | None = None
    idempotentHint: bool | None = None
    openWorldHint: bool | None = None


class ErrorSpec(Part):
    """An error that the tool declares: a code to act on, and what to do about it."""

    code: Annotated[str, StringConstraints(pattern=CODE)]
    description: Text
    retryable: bool = False
    hint: str = ""


class Confirm(Part):
    """What the user is asked before the tool acts."""

    message: Text
    preview: bool = False
    on_unsupported: Literal["deny", "two_step", "allow"] = "deny"


class Inject(Part):
    """A value that the application gives and the model never sees."""

    name: Annotated[str, StringConstraints(pattern=IDENTIFIER)]
    type: Annotated[str, StringConstraints(pattern=DOTTED)] = "typing.Any"


class Stream(Part):
    """Results arrive in chunks of this shape."""

    chunk_schema: JsonObject


class Auth(Part):
    """What a caller must be allowed, and what the implementation needs to be given."""

    scopes: list[Text] = []
    secrets: list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = []


class Example(Part):
    """One call as it should go: an output or a declared error; neither, where only the input matters."""

    name: Text
    input: JsonObject
    output: Any = None
    error: str | None = None
    description: str = ""


class Deprecated(Part):
    """Since when, and what to use instead."""

    since: Text | None = None
    replaced_by: Text | None = None
    message: Text | None = None


class TargetOptions(Part):
    """What only one target is told."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,128}$")] | None = None


class McpOptions(TargetOptions):
    annotations_title: bool = True


class OpenAIOptions(TargetOptions):
    strict: bool | None = None  # None: strict wherever nothing is lost by it


class AnthropicOptions(TargetOptions):
    strict: bool = False


class Targets(Part):
    """Flags for single targets."""

    mcp: McpOptions = McpOptions()
    openai: OpenAIOptions = OpenAIOptions()
    anthropic: AnthropicOptions = AnthropicOptions()


class Spec(Part):
    """One tool. Top-level `x-*` keys are carried in `extensions`, in the author's order."""

    toolgen: Literal[1] = 1
    name: Annotated[str, StringConstraints(pattern=NAME)]
    title: Text | None = None
    icons: list[Icon] = []
    description: Text
    use_when: Text | None = None
    avoid_when: Text | None = None
    returns: Text | None = None
    version: Text | None = None
    tags: list[Text] = []
    annotations: Annotations | None = None
    input_schema: JsonObject
    output_schema: JsonObject | None = None
    errors: list[ErrorSpec] = []
    confirm: Confirm | None = None
    inject: list[Inject] = []
    stream: Stream | None = None
    auth: Auth | None = None
    timeout: Annotated[int | float, Field(gt=0, le=86_400)] | None = None  # seconds
    examples: list[Example] = []
    aliases: list[Text] = []
    deprecated: Deprecated | None = None
    final_answer: bool = False
    enabled: bool = True
    coerce: bool | None = None  # None: as the configuration says
    meta: JsonObject = {}
    targets: Targets = Targets()
    extensions: JsonObject = Field(default={}, exclude=True)  # filled by the step `parse` from the `x-*` keys
