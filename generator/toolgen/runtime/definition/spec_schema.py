"""The spec language, version 1, as JSON Schema: what a spec in YAML and a definition in Python may say.

Both are validated by it (`check.py`), and editors get it from `toolgen schema`. It says the shape only: rules
about several fields are in `rules.py`. The classes of valid values are in `data/spec.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolgen.schema.document import JsonObject
from toolgen.schema.providers import MCP_TOOL_NAME

# Patterns

NAME: Final = r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$"
CODE: Final = r"^[a-z][a-z0-9_]{0,63}$"
IDENTIFIER: Final = r"^[a-z_][a-zA-Z0-9_]{0,63}$"
DOTTED: Final = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"
VARIABLE: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
POINTER: Final = r"^(/([^~/]|~[01])+)+$"
MEDIA_TYPE: Final = r"^[a-z]+/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$"
GROUP: Final = r"^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"  # OpenAI's pattern for namespaces, beginning with a letter
TARGET_NAME: Final = r"^[A-Za-z0-9_.:-]{1,128}$"  # a target's own pattern may ask for more
MCP_NAME: Final = f"^{MCP_TOOL_NAME}$"
TEXT: Final = r"\S"  # a text that is not blank
# Versions of code execution are dates (`ToolParam.allowed_callers` of anthropic).
ANTHROPIC_CALLER: Final = r"^(direct|code_execution_[0-9]{8})$"

PATTERNS: Final[Mapping[str, tuple[str, str]]] = {
    MEDIA_TYPE: ("a media type", "type/subtype in small letters: image/png, or image/* for every image"),
    POINTER: ("a JSON Pointer to a property", "write /orders, or /result/orders"),
    NAME: (
        "a tool's name",
        "letters, digits, `_` and `-`, at most 64 of them, not beginning with a digit or `-`",
    ),
    CODE: (
        "an error's code",
        "snake_case: small letters, digits and `_`, at most 64 of them, beginning with a letter",
    ),
    IDENTIFIER: ("a Python argument", "letters, digits and `_`, beginning with a small letter or `_`"),
    DOTTED: ("a Python type with its module", "names with dots between them: sqlite3.Connection"),
    VARIABLE: (
        "an environment variable",
        "letters, digits and `_`, not beginning with a digit: SHOP_API_KEY",
    ),
    GROUP: ("a group", "letters, digits, `_` and `-`, at most 64 of them, beginning with a letter"),
    ANTHROPIC_CALLER: ("a caller", "direct or code_execution_<date>: code_execution_20260521"),
    MCP_NAME: ("a published name", "printable characters, at most 256 of them"),
    TARGET_NAME: ("a published name", "letters, digits, `_`, `-` and `.`, at most 128 of them"),
}
"""Patterns → what they are the pattern of, and what to write."""

# Values

_ANY: Final[JsonObject] = {}
_FLAG: Final[JsonObject] = {"type": "boolean"}
_OBJECT: Final[JsonObject] = {"type": "object"}
_STRING: Final[JsonObject] = {"type": "string"}
_TEXT: Final[JsonObject] = {"type": "string", "pattern": TEXT}
_DATE: Final[JsonObject] = {"type": "string", "format": "date"}
_COUNT: Final[JsonObject] = {"type": "integer", "minimum": 1}
_SECONDS: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": 2_592_000}  # 30 days

# A moving window stores the time of each call in it
MAX_PER_SECOND: Final = 1_000
MAX_PER_MINUTE: Final = 10_000


def _pattern(pattern: str) -> JsonObject:
    return {"type": "string", "pattern": pattern}


def _choice(*values: str) -> JsonObject:
    return {"type": "string", "enum": list(values)}


def _list(items: JsonObject, **more: Any) -> JsonObject:
    return {"type": "array", "items": items, **more}


def _a(definition: str) -> JsonObject:
    # draft-07 ignores what stands beside a $ref
    return {"allOf": [{"$ref": f"#/definitions/{definition}"}]}


def _several(definition: str) -> JsonObject:
    return _list({"$ref": f"#/definitions/{definition}"})


# Mappings


class _Field(NamedTuple):
    schema: JsonObject
    is_required: bool


def _required(description: str, schema: JsonObject) -> _Field:
    return _Field({"description": description, **schema}, is_required=True)


def _optional(description: str, schema: JsonObject, default: Any = None) -> _Field:
    shown = {} if default is None else {"default": default}
    return _Field({"description": description, **schema, **shown}, is_required=False)


def _mapping(about: str, /, *, others: Any = False, **fields: _Field) -> JsonObject:
    """Return the schema of a mapping; `others` is the schema of further keys."""
    required = [name for name, field in fields.items() if field.is_required]
    return {
        "description": about,
        "type": "object",
        "additionalProperties": others,
        "properties": {name: field.schema for name, field in fields.items()},
        **({"required": required} if required else {}),
    }


# Options of targets

_PUBLISHED_NAME: Final = _optional("The published name; by default that of the tool.", _pattern(TARGET_NAME))
_TTL: Final = _optional(
    "How long the cache entry lives; the provider's default where this is left out.", _choice("5m", "1h")
)

_OPTIONS: Final[Mapping[str, JsonObject]] = {
    "McpOptions": _mapping(
        "Options for MCP.",
        name=_optional("The published name; by default that of the tool.", _pattern(MCP_NAME)),
        annotations_title=_optional(
            "Publish the title as annotations.title, too, for older clients.", _FLAG, True
        ),
        inline=_optional(
            "Inline references, for clients that lose `$defs`; left out, as the configuration says.", _FLAG
        ),
        output_schema=_optional(
            "Publish the output schema, and structured content; left out, as the configuration says.", _FLAG
        ),
    ),
    "OpenAIOptions": _mapping(
        "Options for OpenAI.",
        name=_PUBLISHED_NAME,
        strict=_optional("Strict mode; left out, it is used wherever nothing is lost by it.", _FLAG),
        output_schema=_optional(
            "Publish the output schema for Responses, if every result is JSON.", _FLAG, True
        ),
        allowed_callers=_optional(
            "Who calls the tool: the model, programs that it writes, or both. Responses only.",
            _list(_choice("direct", "programmatic"), minItems=1),
        ),
        **{"async": _optional("The model need not wait for the result. Responses only.", _FLAG)},
    ),
    "CacheControl": _mapping(
        "A breakpoint of Anthropic's prompt cache: the tools up to this one are cached.",
        type=_optional("The kind of cache entry.", {"type": "string", "const": "ephemeral"}, "ephemeral"),
        ttl=_TTL,
    ),
    "AnthropicOptions": _mapping(
        "Options for Anthropic.",
        name=_PUBLISHED_NAME,
        strict=_optional("Strict mode.", _FLAG, False),
        input_examples=_optional(
            "Publish the arguments of the first five examples that end without an error.", _FLAG, True
        ),
        allowed_callers=_optional(
            "Who calls the tool: `direct` is the model, `code_execution_<date>` its programs.",
            _list(_pattern(ANTHROPIC_CALLER), minItems=1),
        ),
        cache_control=_optional(
            "A breakpoint of the prompt cache: the tools up to this one are cached.", _a("CacheControl")
        ),
        eager_input_streaming=_optional(
            "Arguments arrive as they are written; the model's JSON may be invalid.", _FLAG
        ),
    ),
    "GeminiOptions": _mapping(
        "Options for Gemini.",
        name=_PUBLISHED_NAME,
        output_schema=_optional("Publish the output schema.", _FLAG, True),
        behavior=_optional(
            "Whether the model waits for the result. Live API only.", _choice("BLOCKING", "NON_BLOCKING")
        ),
    ),
    "CachePoint": _mapping(
        "A point of Bedrock's prompt cache: the tools before it are cached.",
        type=_optional("The kind of cache point.", {"type": "string", "const": "default"}, "default"),
        ttl=_TTL,
    ),
    "BedrockOptions": _mapping(
        "Options for Amazon Bedrock.",
        name=_PUBLISHED_NAME,
        strict=_optional("Strict mode.", _FLAG, False),
        cachePoint=_optional(
            "A cache point behind this tool: the tools up to this one are cached.", _a("CachePoint")
        ),
    ),
    "OwnTargetOptions": _mapping(
        "Options for a target of the project's own.",
        name=_PUBLISHED_NAME,
        strict=_optional("Strict mode, where the target's dialect has one.", _FLAG),
    ),
    "Targets": _mapping(
        "Options by target.",
        others={"$ref": "#/definitions/OwnTargetOptions"},
        mcp=_optional("Applies to MCP only.", _a("McpOptions")),
        openai=_optional("Applies to OpenAI only.", _a("OpenAIOptions")),
        anthropic=_optional("Applies to Anthropic only.", _a("AnthropicOptions")),
        gemini=_optional("Applies to Gemini only.", _a("GeminiOptions")),
        bedrock=_optional("Applies to Amazon Bedrock only.", _a("BedrockOptions")),
    ),
}

# Parts of a tool

_PARTS: Final[Mapping[str, JsonObject]] = {
    "Icon": _mapping(
        "An icon as MCP has it (`Icon`, 2025-11-25).",
        others=True,
        src=_required("Where the image is: an https or data URI.", _TEXT),
        mimeType=_optional("The image's media type, image/png for one.", _STRING),
        sizes=_optional("Sizes that the image is made for, [48x48] or [any].", _list(_STRING)),
    ),
    "Annotations": _mapping(
        "Hints as MCP has them (`ToolAnnotations`); any further key is carried.",
        others=True,
        title=_optional("A name for people; the tool's `title` where this is left out.", _STRING),
        readOnlyHint=_optional("The tool changes nothing.", _FLAG),
        destructiveHint=_optional("The tool may destroy or overwrite something.", _FLAG),
        idempotentHint=_optional("A second call with the same arguments changes nothing more.", _FLAG),
        openWorldHint=_optional(
            "The tool reaches things outside of the application, the web for one.", _FLAG
        ),
    ),
    "ErrorSpec": _mapping(
        "An error that the tool declares: a code to act on, and what to do about it.",
        code=_required("A word in snake_case that callers act on.", _pattern(CODE)),
        description=_required("When it happens, in one sentence.", _TEXT),
        retryable=_optional("The same call may succeed later.", _FLAG, False),
        hint=_optional("What the model should do instead.", _STRING, ""),
    ),
    "Confirm": _mapping(
        "The question to the user before the tool acts.",
        message=_required("The question, with {path.to.value} and {list|count} from the request.", _TEXT),
        preview=_optional("The implementation shows what would happen, before the question.", _FLAG, False),
        only_if=_optional(
            "JSON Pointer of a boolean of the request: a call with false is answered by the preview, nobody "
            "is asked, and nothing is done.",
            _pattern(POINTER),
        ),
        on_unsupported=_optional(
            "For clients that cannot ask the user. deny: the call fails. two_step: the first call "
            "returns a one-time token, with which the application repeats it. allow: the call goes "
            "ahead.",
            _choice("deny", "two_step", "allow"),
            "deny",
        ),
    ),
    "Inject": _mapping(
        "A value that the application gives and the model never sees.",
        name=_required("The keyword argument of `execute`.", _pattern(IDENTIFIER)),
        type=_optional(
            "Its Python type with its module, sqlite3.Connection for one.", _pattern(DOTTED), "typing.Any"
        ),
        optional=_optional("The tool gets None where the application has no value.", _FLAG, False),
    ),
    "Stream": _mapping(
        "Results arrive in chunks of this shape.",
        chunk_schema=_required("JSON Schema of one chunk.", _OBJECT),
    ),
    "ContentSpec": _mapping(
        "Blocks of one kind that a result may hold beside, or instead of, the response.",
        type=_required(
            "The kind of block. file: any other data, a PDF or a video for one.",
            _choice("image", "audio", "file", "link", "text"),
        ),
        media_types=_optional(
            "Media types that are allowed: [image/png], or [image/*]. All that the kind can have if left "
            "out.",
            _list(_pattern(MEDIA_TYPE)),
            [],
        ),
        description=_optional("What the blocks show, for the model.", _TEXT),
        min=_optional("The least number of these blocks in a result.", {"type": "integer", "minimum": 0}, 0),
        max=_optional("The greatest number of these blocks.", _COUNT),
        max_bytes=_optional("The greatest size of one block in bytes.", _COUNT),
        audience=_optional("Who the blocks are for, as MCP has it.", _list(_choice("user", "assistant")), []),
        priority=_optional(
            "How important the blocks are, from 0 to 1, as MCP has it.",
            {"type": "number", "maximum": 1, "minimum": 0},
        ),
    ),
    "Page": _mapping(
        "Where the response has items and the next cursor, and the request its cursor: JSON Pointers.",
        items=_required("The array of items in the response.", _pattern(POINTER)),
        cursor=_required("The cursor of the next page in the response.", _pattern(POINTER)),
        **{"from": _required("The cursor in the request.", _pattern(POINTER))},
    ),
    "Auth": _mapping(
        "Scopes that callers need, and secrets that the implementation needs.",
        scopes=_optional("Scopes that the caller's token must have.", _list(_TEXT), []),
        secrets=_optional(
            "Names of environment variables that the implementation needs.", _list(_pattern(VARIABLE)), []
        ),
    ),
    "Background": _mapping(
        "The call may run in a worker on a queue, and its result is kept.",
        result_ttl=_required("Seconds that the result is kept.", _SECONDS),
    ),
    "RateLimit": {
        **_mapping(
            "How many calls each principal may make, over all replicas that share a store.",
            per_second=_optional(
                "Calls in any second.", {"type": "integer", "minimum": 1, "maximum": MAX_PER_SECOND}
            ),
            per_minute=_optional(
                "Calls in any minute.", {"type": "integer", "minimum": 1, "maximum": MAX_PER_MINUTE}
            ),
        ),
        "minProperties": 1,
    },
    "Idempotency": _mapping(
        "A call with a key that was used before gets the answer of the first one, and is not executed.",
        ttl=_required("Seconds that a key and its answer are kept.", _SECONDS),
    ),
    "Example": _mapping(
        "One call as it should go: an output or a declared error; neither, where only the input matters.",
        name=_required("What the example shows.", _TEXT),
        description=_optional("More about it, for the documentation.", _STRING, ""),
        ask=_optional("What a user would say, so that the model makes this call.", _TEXT),
        **{
            "not": _optional(
                "Names of other tools that the model must not call for `ask`.", _list(_pattern(NAME)), []
            )
        },
        input=_required("The arguments; they must fit `input_schema`.", _OBJECT),
        output=_optional("The result; it must fit `output_schema`.", _ANY),
        error=_optional("The code of the declared error that the call ends in.", _STRING),
    ),
    "Deprecated": _mapping(
        "Since when, and what to use instead.",
        since=_optional("The version that deprecated the tool.", _TEXT),
        replaced_by=_optional("The tool to use instead.", _TEXT),
        message=_optional("More about it, for callers.", _TEXT),
        sunset=_optional("The last day on which the tool works, for example 2027-01-31.", _DATE),
    ),
}

_TOOL: Final = _mapping(
    "One tool; keys that begin with `x-` are your own, and carried.",
    toolgen=_optional(
        "The version of the spec language.", {"type": "integer", "maximum": 1, "minimum": 1}, 1
    ),
    name=_required(
        "What models call: letters, digits, `_` and `-`, at most 64, not beginning with a digit or `-`.",
        _pattern(NAME),
    ),
    title=_optional("The name for people.", _TEXT),
    icons=_optional("Pictures for user interfaces.", _several("Icon"), []),
    description=_required("What the tool does, for the model.", _TEXT),
    use_when=_optional("When to use it; joined to the description.", _TEXT),
    avoid_when=_optional("When not to use it, and what to use instead; joined to the description.", _TEXT),
    returns=_optional("A description of the result; joined to the description.", _TEXT),
    version=_optional("The tool's version, quoted: 1.10 without quotes is a number.", _TEXT),
    tags=_optional("Words to group tools by.", _list(_TEXT), []),
    annotations=_optional("Hints to clients, as MCP has them.", _a("Annotations")),
    input_schema=_required("JSON Schema 2020-12 of the arguments; its root is `type: object`.", _OBJECT),
    output_schema=_optional("JSON Schema of the result; best an object's.", _OBJECT),
    errors=_optional("Errors that are part of the contract.", _several("ErrorSpec"), []),
    confirm=_optional("Ask the user before the tool acts.", _a("Confirm")),
    asks=_optional("true: `execute` may ask the user, by `context.elicit`.", _FLAG, False),
    inject=_optional("Values that the application gives and the model never sees.", _several("Inject"), []),
    stream=_optional("Results arrive in chunks.", _a("Stream")),
    auth=_optional("Scopes that callers need, and secrets that the implementation needs.", _a("Auth")),
    timeout=_optional(
        "Seconds of work that a call may take; waiting for a worker is not counted.",
        {"type": "number", "exclusiveMinimum": 0, "maximum": 86_400},
    ),
    background=_optional(
        "The call may run in a worker on a queue; a client with the tasks extension gets a task.",
        _a("Background"),
    ),
    rate_limit=_optional("How many calls each principal may make.", _a("RateLimit")),
    idempotency=_optional("A key of the caller's executes once.", _a("Idempotency")),
    concurrency=_optional(
        "Calls of this tool that run at the same time; more wait in a bounded queue.",
        {"type": "integer", "maximum": 10_000, "minimum": 1},
    ),
    content=_optional(
        "Images, audio, files, links and texts that a result may hold; `any` where that is not known.",
        {"oneOf": [_several("ContentSpec"), {"type": "string", "const": "any"}]},
        [],
    ),
    max_result_bytes=_optional(
        "The greatest size of the response: UTF-8 bytes of compact JSON. Larger ones are paged, or refused.",
        {"type": "integer", "minimum": 100},
    ),
    page=_optional("How responses over `max_result_bytes` are paged, by whole items.", _a("Page")),
    group=_optional("Tools that belong together; a namespace where a provider has them.", _pattern(GROUP)),
    load=_optional(
        "deferred: the model finds the tool by search where a provider has it, and does not see it before.",
        _choice("always", "deferred"),
    ),
    examples=_optional(
        "Calls as they should go; they drive docs, mock and contract tests.", _several("Example"), []
    ),
    aliases=_optional("Further names that are answered and never listed.", _list(_TEXT), []),
    deprecated=_optional("The tool is on its way out.", _a("Deprecated")),
    final_answer=_optional("The result goes to the user as it is, and ends the agent's turn.", _FLAG, False),
    enabled=_optional("false: the spec is checked, and no code is generated for it.", _FLAG, True),
    coerce=_optional('Take "5" where 5 is asked for; left out, as the configuration says.', _FLAG),
    meta=_optional("Published as _meta.", _OBJECT),
    targets=_optional("Options for single targets.", _a("Targets")),
)
_EXTENSIONS: Final = {"^x-": {"description": "Data of your own, carried into the catalogue."}}

DEFINITIONS: Final[Mapping[str, JsonObject]] = {
    **_OPTIONS,
    **_PARTS,
    "Tool": {"title": "Tool", **_TOOL, "patternProperties": _EXTENSIONS},
}
"""Schemas by name; that of a whole tool is `Tool`."""

FIELDS: Final = tuple(_TOOL["properties"])
"""The fields of a tool, in the order of the language."""

TARGETS: Final = tuple(DEFINITIONS["Targets"]["properties"])
"""The targets that have options of their own."""

SCHEMA_FIELDS: Final = (("input_schema",), ("output_schema",), ("stream", "chunk_schema"))
"""Paths of the fields that hold JSON Schemas."""


def schemas_of(data: object) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the value of every schema field that a tool's data has, whatever the value is."""
    for path in SCHEMA_FIELDS:
        inner = data
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if inner is not None:
            yield path, inner
