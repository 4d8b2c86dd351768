"""What a call gives: content or an error, never an exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from .errors import ToolError

if TYPE_CHECKING:
    from .forms import ResponseForm


@dataclass(frozen=True, init=False)
class ToolResponse:
    """The answer to one call. `success` is true if and only if `error` is None."""

    tool_name: str  # the wire name, also where an alias was called
    success: bool
    content: Any = None  # a JSON value that fits the output schema; None on errors
    error: ToolError | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)  # for the application: call_id, the tool's own
    final_answer: bool = False  # the content is meant for the user as it is
    extras: Mapping[str, Any] = field(default_factory=dict)  # for the next call, and the application

    text: str | None = field(default=None, repr=False, compare=False)  # the content's JSON, where it is known

    def __init__(
        self,
        tool_name: str,
        success: bool,
        content: Any = None,
        error: ToolError | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        final_answer: bool = False,
        extras: Mapping[str, Any] | None = None,
        text: str | None = None,
    ) -> None:  # every call makes one, and what a frozen dataclass writes for itself takes twice as long
        values = self.__dict__
        values["tool_name"] = tool_name
        values["success"] = success
        values["content"] = content
        values["error"] = error
        values["metadata"] = {} if metadata is None else metadata
        values["final_answer"] = final_answer
        values["extras"] = {} if extras is None else extras
        values["text"] = text

    def as_text(self) -> str:
        """The text that a model reads: the content as compact JSON, text as it is; or the error's text."""
        if self.error is not None:
            return self.error.as_text()
        if self.text is not None:
            return self.text
        if isinstance(self.content, str):
            return self.content
        return json.dumps(self.content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, the error by its own `as_dict`."""
        return {
            "tool_name": self.tool_name,
            "success": self.success,
            "content": self.content,
            "error": None if self.error is None else self.error.as_dict(),
            "metadata": dict(self.metadata),
            "final_answer": self.final_answer,
            "extras": dict(self.extras),
        }

    @overload
    def render(
        self,
        form: Literal[ResponseForm.INTACT],
        *,
        filter_empty_fields: bool = ...,
        filter_metadata_fields: bool = ...,
    ) -> ToolResponse: ...
    @overload
    def render(
        self,
        form: Literal[ResponseForm.DICT],
        *,
        filter_empty_fields: bool = ...,
        filter_metadata_fields: bool = ...,
    ) -> dict[str, Any]: ...
    @overload
    def render(
        self,
        form: Literal[ResponseForm.STR, ResponseForm.PRETTY_STR] = ...,
        *,
        filter_empty_fields: bool = ...,
        filter_metadata_fields: bool = ...,
    ) -> str: ...
    def render(
        self,
        form: ResponseForm | None = None,
        *,
        filter_empty_fields: bool = True,
        filter_metadata_fields: bool = True,
    ) -> Any:
        """The response in one of its forms: itself, a dict, a line of JSON, or (the default) text for people.

        `filter_empty_fields` leaves out fields that say nothing: None, empty text, lists and objects; what a
        tool answered is never left out, empty or not. `filter_metadata_fields` leaves out `metadata`.
        """
        from .forms import render

        return render(self, form, filter_empty_fields, filter_metadata_fields)
