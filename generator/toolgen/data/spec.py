"""The spec language, version 1: one pydantic class per YAML mapping, nothing derived.

Shapes only: what needs a second look (schemas, examples, placeholders) is checked by the steps.
The descriptions are what an editor shows: `toolgen schema` prints them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag, WithJsonSchema

from toolgen.schema.document import JsonObject
from toolgen.targets.builtin import Targets
from toolgen.targets.definition import TargetOptions

NAME = r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$"
CODE = r"^[a-z][a-z0-9_]{0,63}$"
IDENTIFIER = r"^[a-z_][a-zA-Z0-9_]{0,63}$"
DOTTED = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
POINTER = r"^(/([^~/]|~[01])+)+$"
DATE = (
    r"^[0-9]{4}-(?:(?:0[13578]|1[02])-31|(?:0[13-9]|1[0-2])-(?:29|30)|02-29"
    r"|(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]))$"
)
MEDIA_TYPE = r"^[a-z]+/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$"
GROUP = r"^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"  # OpenAI's pattern for namespaces, beginning with a letter

SHARED_FILE_KEYS = frozenset(("$defs", "$schema", "$comment"))
"""Top-level keys of a file of shared schemas; a file with any other key is a tool."""

SCHEMA_FIELDS = (("input_schema",), ("output_schema",), ("stream", "chunk_schema"))
"""Paths of the fields that hold JSON Schemas."""

Text = Annotated[str, StringConstraints(min_length=1)]
_PRIORITY = WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})
_SECONDS = WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 86_400})


def _about(text: str, default: Any = ...) -> Any:
    """A field with the sentence that an editor shows for it."""
    return Field(default, description=text)


class SpecPart(BaseModel):
    """A mapping of the spec language: strict types, no unknown keys, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Icon(SpecPart):
    """An icon as MCP has it (`Icon`, 2025-11-25)."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    src: Text = _about("Where the image is: an https or data URI.")
    mimeType: str | None = _about("The image's media type, image/png for one.", None)
    sizes: list[str] | None = _about("Sizes that the image is made for, [48x48] or [any].", None)


class Annotations(SpecPart):
    """Hints as MCP has them (`ToolAnnotations`); any further key is carried."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    title: str | None = _about("A name for people; the tool's `title` where this is left out.", None)
    readOnlyHint: bool | None = _about("The tool changes nothing.", None)
    destructiveHint: bool | None = _about("The tool may destroy or overwrite something.", None)
    idempotentHint: bool | None = _about("A second call with the same arguments changes nothing more.", None)
    openWorldHint: bool | None = _about(
        "The tool reaches things outside of the application, the web for one.", None
    )


class ErrorSpec(SpecPart):
    """An error that the tool declares: a code to act on, and what to do about it."""

    code: Annotated[str, StringConstraints(pattern=CODE)] = _about(
        "A word in snake_case that callers act on."
    )
    description: Text = _about("When it happens, in one sentence.")
    retryable: bool = _about("The same call may succeed later.", False)
    hint: str = _about("What the model should do instead.", "")


class Confirm(SpecPart):
    """The question to the user before the tool acts."""

    message: Text = _about("The question, with {path.to.value} and {list|count} from the request.")
    preview: bool = _about("The implementation shows what would happen, before the question.", False)
    on_unsupported: Literal["deny", "two_step", "allow"] = _about(
        "For clients that cannot ask the user. deny: the call fails. two_step: the first call returns a "
        "one-time token, with which the application repeats it. allow: the call goes ahead.",
        "deny",
    )


class Inject(SpecPart):
    """A value that the application gives and the model never sees."""

    name: Annotated[str, StringConstraints(pattern=IDENTIFIER)] = _about("The keyword argument of `execute`.")
    type: Annotated[str, StringConstraints(pattern=DOTTED)] = _about(
        "Its Python type with its module, sqlite3.Connection for one.", "typing.Any"
    )
    optional: bool = _about("The tool gets None where the application has no value.", False)


class Stream(SpecPart):
    """Results arrive in chunks of this shape."""

    chunk_schema: JsonObject = _about("JSON Schema of one chunk.")


class ContentSpec(SpecPart):
    """Blocks of one kind that a result may hold beside, or instead of, the response."""

    type: Literal["image", "audio", "file", "link", "text"] = _about(
        "The kind of block. file: any other data, a PDF or a video for one."
    )
    media_types: list[Annotated[str, StringConstraints(pattern=MEDIA_TYPE)]] = _about(
        "Media types that are allowed: [image/png], or [image/*]. All that the kind can have if left out.", []
    )
    description: Text | None = _about("What the blocks show, for the model.", None)
    min: Annotated[int, Field(ge=0)] = _about("The least number of these blocks in a result.", 0)
    max: Annotated[int, Field(ge=1)] | None = _about("The greatest number of these blocks.", None)
    max_bytes: Annotated[int, Field(ge=1)] | None = _about("The greatest size of one block in bytes.", None)
    audience: list[Literal["user", "assistant"]] = _about("Who the blocks are for, as MCP has it.", [])
    priority: Annotated[int | float, Field(ge=0, le=1), _PRIORITY] | None = _about(
        "How important the blocks are, from 0 to 1, as MCP has it.", None
    )


def _form_of_content(value: object) -> str:
    return "str" if isinstance(value, str) else "list"


Content = Annotated[
    Annotated[list[ContentSpec], Tag("list")] | Annotated[Literal["any"], Tag("str")],
    Discriminator(_form_of_content),
]
"""The field `content`: the blocks that are allowed; `any` for tools whose server does not declare them."""


class Page(SpecPart):
    """Where the response has items and the next cursor, and the request its cursor: JSON Pointers."""

    items: Annotated[str, StringConstraints(pattern=POINTER)] = _about("The array of items in the response.")
    cursor: Annotated[str, StringConstraints(pattern=POINTER)] = _about(
        "The cursor of the next page in the response."
    )
    from_: Annotated[str, StringConstraints(pattern=POINTER)] = Field(
        alias="from", description="The cursor in the request."
    )


class Auth(SpecPart):
    """Scopes that callers need, and secrets that the implementation needs."""

    scopes: list[Text] = _about("Scopes that the caller's token must have.", [])
    secrets: list[Annotated[str, StringConstraints(pattern=VARIABLE)]] = _about(
        "Names of environment variables that the implementation needs.", []
    )


class Example(SpecPart):
    """One call as it should go: an output or a declared error; neither, where only the input matters."""

    name: Text = _about("What the example shows.")
    ask: Text | None = _about("What a user would say, so that the model makes this call.", None)
    not_: list[Annotated[str, StringConstraints(pattern=NAME)]] = Field(
        [], alias="not", description="Names of other tools that the model must not call for `ask`."
    )
    input: JsonObject = _about("The arguments; they must fit `input_schema`.")
    output: Any = _about("The result; it must fit `output_schema`.", None)
    error: str | None = _about("The code of the declared error that the call ends in.", None)
    description: str = _about("More about it, for the documentation.", "")


class Deprecated(SpecPart):
    """Since when, and what to use instead."""

    since: Text | None = _about("The version that deprecated the tool.", None)
    replaced_by: Text | None = _about("The tool to use instead.", None)
    message: Text | None = _about("More about it, for callers.", None)
    sunset: Annotated[str, StringConstraints(pattern=DATE)] | None = _about(
        "The last day on which the tool works, for example 2027-01-31.", None
    )


class Spec(SpecPart):
    """One tool. Top-level `x-*` keys are carried in `extensions`, in the author's order."""

    # A range rather than a literal: Literal[1] would take `true` and `1.0`, which equal 1.
    toolgen: Annotated[int, Field(ge=1, le=1)] = _about("The version of the spec language.", 1)
    name: Annotated[str, StringConstraints(pattern=NAME)] = _about(
        "What models call: letters, digits, `_` and `-`, at most 64, not beginning with a digit or `-`."
    )
    title: Text | None = _about("The name for people.", None)
    icons: list[Icon] = _about("Pictures for user interfaces.", [])
    description: Text = _about("What the tool does, for the model.")
    use_when: Text | None = _about("When to use it; joined to the description.", None)
    avoid_when: Text | None = _about(
        "When not to use it, and what to use instead; joined to the description.", None
    )
    returns: Text | None = _about("A description of the result; joined to the description.", None)
    version: Text | None = _about("The tool's version, quoted: 1.10 without quotes is a number.", None)
    tags: list[Text] = _about("Words to group tools by.", [])
    annotations: Annotations | None = _about("Hints to clients, as MCP has them.", None)
    input_schema: JsonObject = _about("JSON Schema 2020-12 of the arguments; its root is `type: object`.")
    output_schema: JsonObject | None = _about("JSON Schema of the result; best an object's.", None)
    errors: list[ErrorSpec] = _about("Errors that are part of the contract.", [])
    confirm: Confirm | None = _about("Ask the user before the tool acts.", None)
    inject: list[Inject] = _about("Values that the application gives and the model never sees.", [])
    stream: Stream | None = _about("Results arrive in chunks.", None)
    content: Content = _about(
        "Images, audio, files, links and texts that a result may hold; `any` where that is not known.", []
    )
    max_result_bytes: Annotated[int, Field(ge=100)] | None = _about(
        "The greatest size of the response: UTF-8 bytes of compact JSON. Larger ones are paged, or refused.",
        None,
    )
    page: Page | None = _about("How responses over `max_result_bytes` are paged, by whole items.", None)
    auth: Auth | None = _about("Scopes that callers need, and secrets that the implementation needs.", None)
    timeout: Annotated[int | float, Field(gt=0, le=86_400), _SECONDS] | None = _about(
        "Seconds of work that a call may take; waiting for a worker is not counted.", None
    )
    concurrency: Annotated[int, Field(ge=1, le=10_000)] | None = _about(
        "Calls of this tool that run at the same time; more wait in a bounded queue.", None
    )
    group: Annotated[str, StringConstraints(pattern=GROUP)] | None = _about(
        "Tools that belong together; a namespace where a provider has them.", None
    )
    load: Literal["always", "deferred"] | None = _about(
        "deferred: the model finds the tool by search where a provider has it, and does not see it before.",
        None,
    )
    examples: list[Example] = _about("Calls as they should go; they drive docs, mock and contract tests.", [])
    aliases: list[Text] = _about("Further names that are answered and never listed.", [])
    deprecated: Deprecated | None = _about("The tool is on its way out.", None)
    final_answer: bool = _about("The result goes to the user as it is, and ends the agent's turn.", False)
    enabled: bool = _about("false: the spec is checked, and no code is generated for it.", True)
    coerce: bool | None = _about('Take "5" where 5 is asked for; left out, as the configuration says.', None)
    meta: JsonObject = _about("Published as _meta.", {})
    targets: Targets = _about("Options for single targets.", Targets())
    extensions: JsonObject = Field(default={}, exclude=True)  # filled by the step `parse` from the `x-*` keys

    def options_of(self, target: str) -> TargetOptions | None:
        """Return what the spec says of a target; the defaults for a built-in one of which it says nothing."""
        built_in: Mapping[str, TargetOptions | None] = vars(self.targets)
        if target in built_in:
            return built_in[target]
        return (self.targets.model_extra or {}).get(target)


def is_shared_file(data: object) -> bool:
    """True if the data of a file below the specs folder is shared schemas rather than a tool."""
    return isinstance(data, Mapping) and data.keys() <= SHARED_FILE_KEYS


def schemas_of(data: object) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the value of every schema field that a tool's data has, whatever the value is."""
    for path in SCHEMA_FIELDS:
        inner = data
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if inner is not None:
            yield path, inner
