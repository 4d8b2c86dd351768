"""What a call gives: content or an error, never an exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ToolError


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """The answer to one call. `success` is true if and only if `error` is None."""

    tool_name: str  # the wire name, also where an alias was called
    success: bool
    content: Any = None  # a JSON value that fits the output schema; None on errors
    error: ToolError | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)  # for the application: call_id, …
    final_answer: bool = False  # the content is meant for the user as it is
    extras: Mapping[str, Any] = field(default_factory=dict)  # left by the tool in its context

    text: str | None = field(default=None, repr=False, compare=False)  # the content's JSON, where it is known

    def as_text(self) -> str:
        """The text that a model reads: compact JSON of the content, or the error's text."""
        if self.error is not None:
            return self.error.as_text()
        if self.text is not None:
            return self.text
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
