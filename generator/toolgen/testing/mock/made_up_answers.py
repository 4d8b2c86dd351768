"""Made-up answers of one tool: valid by its schemas, and always the same for the same request."""

from __future__ import annotations

import tomllib
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple

import jsonschema_rs

from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime.content.values import Audio, Content, File, Image, Link, Text
from toolgen.runtime.contract.page import replaced
from toolgen.runtime.definition.tool_definition import Fields, ToolDefinition
from toolgen.runtime.errors import NotImplementedToolError
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.json_value import whole_numbers
from toolgen.schema.document import locate, pointer_tokens
from toolgen.testing.requests import with_value

_NOTE: Final = "Made up by a mock."
_CLASSES: Final[Mapping[str, Callable[..., Content]]] = {"image": Image, "audio": Audio, "file": File}


class _Sample(NamedTuple):
    extension: str  # of the name of a file
    data: bytes


def _samples() -> Mapping[str, _Sample]:
    table = tomllib.loads(files("toolgen.testing.mock").joinpath("samples.toml").read_text("utf-8"))
    return {
        media_type: _Sample(each["extension"], each.get("text", "").encode() or b64decode(each["base64"]))
        for media_type, each in table.items()
    }


SAMPLES: Final = _samples()
"""Media type → sample, the usual ones of each kind first."""


def sample_content(rule: Fields, tool_name: str) -> Content | None:
    """Return content that satisfies an entry of `content` in a spec; None if there is no such sample."""
    types, limit = rule.get("media_types", ()), rule.get("max_bytes")
    kind = rule["type"]
    if kind in ("link", "text"):
        media_type = next((each for each in types if not each.endswith("*")), None)
        if kind == "link":
            return Link(f"https://example.com/mock/{tool_name}", media_type=media_type, description=_NOTE)
        sample = SAMPLES.get(media_type or "text/plain")
        text = sample.data.decode() if sample is not None else _NOTE
        return Text(text[:limit], media_type=media_type or "text/plain")
    for media_type in _candidates(kind, types):
        sample = SAMPLES[media_type]
        if limit is None or len(sample.data) <= limit:
            return _CLASSES[kind](sample.data, media_type=media_type, name=f"mock.{sample.extension}")
    return None


def _candidates(kind: str, types: Any) -> list[str]:
    """Return the media types of samples that a rule allows, the usual one of its kind first."""
    known = list(SAMPLES)
    if kind in ("image", "audio"):
        known = [each for each in known if each.startswith(f"{kind}/")]
    elif not types:
        known = ["application/pdf", *known]
    if not types:
        return known
    return [each for each in known if each in types or f"{each.partition('/')[0]}/*" in types]


PAGES: Final = 3  # of a paged result
_CURSOR: Final = "mock-page-"
_CHUNKS: Final = 3  # of a stream without a response


class NoAnswerError(NotImplementedToolError):
    """The mock cannot make up an answer; an example in the spec is needed."""

    hint = "Add an example of this call to the tool's spec; a mock answers by the examples first."


class _Values:
    """Generates values for one schema."""

    def __init__(self, schema: Mapping[str, Any], field: str, tool_name: str) -> None:
        self.validator: CompiledSchema = compile_schema(schema)
        self._field, self._tool_name = field, tool_name
        try:
            self._generator: InstanceGenerator | None = InstanceGenerator(schema)
        except (ValueError, jsonschema_rs.ReferencingError):
            self._generator = None

    def make(self, seed: str) -> Any:
        """Return a realistic valid value. Raises NoAnswerError if none was found."""
        value = None if self._generator is None else self._generator.example(seed=seed, name=self._tool_name)
        value = whole_numbers(value)
        if not self.validator.accepts(value):
            raise NoAnswerError(f"The mock found no value that satisfies {self._field} of {self._tool_name}.")
        return value


class MadeUpAnswers:
    """Makes up the results of one tool. Schemas are compiled for its first call."""

    def __init__(self, definition: ToolDefinition) -> None:
        self._definition = definition
        self._name = definition["name"]
        output, stream = definition.get("output_schema"), definition.get("stream")
        self._response = None if output is None else _Values(output, "output_schema", self._name)
        chunk = None if stream is None else stream["chunk_schema"]
        self._chunk = None if chunk is None else _Values(chunk, "chunk_schema", self._name)
        self._request: CompiledSchema | None = None  # compiled for the first paged result

    @property
    def has_response(self) -> bool:
        """True if the tool has an output schema."""
        return self._response is not None

    def response(self, request: Mapping[str, Any], seed: str) -> Any:
        """Return a valid response. Raises NoAnswerError.

        Properties that the request has, too, get its values where the schema accepts them.
        """
        if self._response is None:
            return f"Made up by the mock of {self._name}."
        made = self._response.make(seed)
        return self._paged(_with_values_of(request, made, self._response.validator), request)

    def chunks(self, request: Mapping[str, Any], response: Any, seed: str) -> list[Any]:
        """Return the chunks of a stream; those of a tool with an output schema add up to the response."""
        assert self._chunk is not None
        if self._response is not None:
            names = list(self._definition["stream"]["chunk_schema"].get("properties", ()))
            parts = _parts(response, self._chunk.validator, names)
            if parts is not None:
                return parts
        return [self._chunk.make(f"{seed} chunk {number}") for number in range(_CHUNKS)]

    def content(self) -> list[Content]:
        """Return the blocks that a result needs, one of each kind at least. Raises NoAnswerError."""
        declared = self._definition.get("content", ())
        if isinstance(declared, str):  # any, or none
            return []
        blocks = []
        for rule in declared:
            found = sample_content(rule, self._name)
            if found is None and rule.get("min", 0):
                wanted = " or ".join(rule.get("media_types", ())) or rule["type"]
                raise NoAnswerError(
                    f"The mock of {self._name} has no sample of {wanted} that is small enough."
                )
            if found is not None:
                blocks += [found] * max(1, rule.get("min", 0))
        return blocks

    def _paged(self, value: Any, request: Mapping[str, Any]) -> Any:
        """Return a response with the cursor of the next page; without one on the last page."""
        page = self._definition.get("page")
        if page is None:
            return value
        assert self._response is not None
        path, asked = pointer_tokens(page["cursor"]), pointer_tokens(page["from"])
        number = _page_number(located.value if (located := locate(request, asked)) else None)
        cursor = f"{_CURSOR}{number + 1}"
        paged, following = replaced(value, path, cursor), replaced(request, asked, cursor)
        if self._request is None:
            self._request = compile_schema(self._definition["input_schema"])
        if number < PAGES and self._response.validator.accepts(paged) and self._request.accepts(following):
            return paged
        # The last page has no cursor, or one that is empty where the schema requires it.
        empty = replaced(value, path, "")
        for paged in (replaced(value, path, None), with_value(empty, path, None), empty):
            if self._response.validator.accepts(paged):
                return paged
        return value


def _page_number(cursor: Any) -> int:
    """Return the number of the page that a cursor asks for; that of the last page for a foreign cursor."""
    if cursor is None or cursor == "":
        return 1
    text = str(cursor).removeprefix(_CURSOR)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else PAGES


def _with_values_of(request: Mapping[str, Any], value: Any, validator: CompiledSchema) -> Any:
    """Return `value` with the request's values of the same names, where they are valid."""
    if not isinstance(value, dict):
        return value
    for name in sorted(value.keys() & request.keys()):
        changed = {**value, name: request[name]}
        if validator.accepts(changed):
            value = changed
    return value


def _parts(response: Any, chunk: CompiledSchema, names: Sequence[str]) -> list[Any] | None:
    """Return chunks that add up to a response: pieces of its text, or items of its list; None if none do.

    The text or the list is the response itself or a property of it, and a piece is a chunk by itself or as a
    property of one.
    """
    whole = [response] if isinstance(response, str | list) else []
    properties = list(response.values()) if isinstance(response, dict) else []
    candidates = [each for each in (*whole, *properties) if isinstance(each, str | list)]
    for found in candidates:
        pieces = _pieces(found)
        for wrapped in (pieces, *([{name: piece} for piece in pieces] for name in names)):
            if wrapped and all(map(chunk.accepts, wrapped)):
                return list(wrapped)
    return [] if any(not each for each in candidates) else None


def _pieces(whole: Any) -> list[Any]:
    """Return the items of a list, or the words of a text with the spaces behind them."""
    if isinstance(whole, list):
        return whole
    words = whole.split(" ")
    return [*(f"{word} " for word in words[:-1]), words[-1]] if whole else []
