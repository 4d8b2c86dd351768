"""The response to a call, content or an error, and the forms in which it can be rendered."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, Unpack, overload

from .call_options import Filters
from .content.block import Block
from .errors import ToolError

if TYPE_CHECKING:
    from pydantic import BaseModel

    ModelT = TypeVar("ModelT", bound=BaseModel)

MOCK_KEY: Final = "toolgen/mock"
"""Key of metadata: what a call asks of a mock, and in its response, how the mock has answered."""


ERROR_KEY: Final = "toolgen/error"
"""Key of the error of a response, in the `_meta` of an MCP result."""
DEPRECATED_KEY: Final = "toolgen/deprecated"
"""Key of the field `deprecated` of a spec, in the `_meta` of a listed tool and of its results."""
VERSION_KEY: Final = "toolgen/version"
"""Key of the field `version` of a spec, in the `_meta` of a listed tool."""
ERRORS_KEY: Final = "toolgen/errors"
"""Key of the field `errors` of a spec, in the `_meta` of a listed tool."""


class ResponseForm(StrEnum):
    """A form in which `ToolResponse.render` returns a response."""

    INTACT = "intact"  # the response itself
    DICT = "dict"  # plain data
    STR = "str"  # one line of JSON
    PRETTY_STR = "pretty_str"  # one line per field, for people


FormName: TypeAlias = ResponseForm | Literal["intact", "dict", "str", "pretty_str"]
"""A form, or its value."""


@dataclass(frozen=True, init=False)
class ToolResponse:
    """The response to one call. `success` is true if and only if `error` is None.

    `execute` may return one, with `content`, `error`, `metadata`, `extras` and `final_answer`; the others are
    the runtime's. Fields of a subclass, `@dataclass(frozen=True)`, reach the caller in this process.

    Example:
        print(response.content if response.success else response.as_text())
    """

    tool_name: str = ""  # the wire name, even if an alias was called
    success: bool = True
    content: Any = None  # a JSON value, valid by the output schema; None on errors
    error: ToolError | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)  # for the application: call_id, and the tool's
    final_answer: bool = False  # the content is meant for the user as it is
    extras: Mapping[str, Any] = field(default_factory=dict)  # for the next call, and the application
    blocks: tuple[Block, ...] = ()  # images, audio, files, links and texts beside the content

    text: str | None = field(default=None, repr=False, compare=False)  # the content as text, if it is known

    def __init__(
        self,
        tool_name: str = "",
        success: bool = True,
        content: Any = None,
        error: ToolError | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        final_answer: bool = False,
        extras: Mapping[str, Any] | None = None,
        text: str | None = None,
        blocks: tuple[Block, ...] = (),
    ) -> None:  # half the time of the `__init__` that a frozen dataclass generates; every call needs it
        values = self.__dict__
        values["tool_name"] = tool_name
        values["success"] = success
        values["content"] = content
        values["error"] = error
        values["metadata"] = {} if metadata is None else metadata
        values["final_answer"] = final_answer
        values["extras"] = {} if extras is None else extras
        values["text"] = text
        values["blocks"] = blocks

    def with_metadata(self, metadata: Mapping[str, Any]) -> ToolResponse:
        """Return a copy with more metadata."""
        copied = copy.copy(self)
        copied.__dict__["metadata"] = {**self.metadata, **metadata}
        return copied

    def with_fields_of(self, returned: ToolResponse) -> ToolResponse:
        """Return this response in the class of another one, with the fields that this class adds."""
        copied = copy.copy(returned)
        copied.__dict__.update(self.__dict__)
        return copied

    def as_text(self) -> str:
        """Return all of the response as text: the content, and a line for each block; or the error.

        For callers that take text only. Data of blocks is described and never encoded.
        """
        text = self.content_as_text()
        if not self.blocks:
            return text
        return "\n".join(each for each in (text, *(block.as_text() for block in self.blocks)) if each)

    def content_as_text(self) -> str:
        """Return the content as compact JSON (a string as it is), or the error. Empty if only blocks came."""
        if self.error is not None:
            return self.error.as_text()
        if self.text is not None:
            return self.text
        if isinstance(self.content, str):
            return self.content
        return json.dumps(self.content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def as_model(self, model: type[ModelT]) -> ModelT:
        """Return the content as an instance of the tool's response model, so that type checkers know it.

        `response.as_model(SalesChartResponse).total` is an `int` to mypy and pyright.

        Raises:
            ToolError: The call failed; it is `error`.
            pydantic.ValidationError: The content does not fit `model`, which is that of another tool.
        """
        if self.error is not None:
            raise self.error
        return model.model_validate(self.content, by_alias=True, by_name=False)  # keys are those of JSON

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as a dict, the error by its `as_dict`; fields of a subclass come last."""
        shown = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "text"}
        return shown | {
            "error": None if self.error is None else self.error.as_dict(),
            "metadata": dict(self.metadata),
            "extras": dict(self.extras),
            "blocks": [block.as_dict() for block in self.blocks],
        }

    @overload
    def render(
        self, form: Literal[ResponseForm.INTACT, "intact"], **filters: Unpack[Filters]
    ) -> ToolResponse: ...
    @overload
    def render(
        self, form: Literal[ResponseForm.DICT, "dict"], **filters: Unpack[Filters]
    ) -> dict[str, Any]: ...
    @overload
    def render(
        self,
        form: Literal[ResponseForm.STR, ResponseForm.PRETTY_STR, "str", "pretty_str"] = ...,
        **filters: Unpack[Filters],
    ) -> str: ...
    def render(
        self,
        form: FormName | None = None,
        *,
        filter_empty_fields: bool = True,
        filter_metadata_fields: bool = True,
    ) -> Any:
        """Return the response in a form: itself, a dict, a line of JSON, or (the default) text for people.

        `filter_empty_fields` omits fields that are None or empty, except `content`, or `error` on errors.
        `filter_metadata_fields` omits `metadata`.
        """
        form = ResponseForm.PRETTY_STR if form is None else ResponseForm(form)
        if form is ResponseForm.INTACT:
            return self
        shown = self.as_dict()
        if filter_metadata_fields:
            del shown["metadata"]
        if filter_empty_fields:
            result = "content" if self.success else "error"  # kept even if it is empty
            if self.blocks and self.content is None:
                result = "blocks"
            shown = {key: value for key, value in shown.items() if key == result or not _is_empty(value)}
        if form is ResponseForm.DICT:
            return shown
        if form is ResponseForm.STR:
            return _json(shown, separators=(",", ":"))
        if self.error is not None:
            shown["error"] = self.error.as_text()
        return "\n".join(f"{key}: {_pretty(value)}" for key, value in shown.items())


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _pretty(value: Any) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else "".join(f"\n  {line}" for line in value.splitlines())
    if isinstance(value, list | dict) and value:
        return "".join(f"\n  {line}" for line in _json(value, indent=2).splitlines())
    return _json(value)


def _json(value: Any, **layout: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, **layout)  # metadata and extras may be anything
