"""A result that arrives in chunks, gathered: each chunk checked as it comes."""

from __future__ import annotations

from typing import Any

from .answer import BrokenContract, to_chunk, write, written
from .plan import Plan

_NOTHING = object()


class Gathering:
    """The chunks of one call so far. Where the tool has an output schema, the last item is the response."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._held: Any = _NOTHING  # the newest item, which may turn out to be the response
        self._chunks: list[Any] = []

    def add(self, item: Any) -> None:
        """Take the next item. Raises BrokenContract if a chunk does not fit its schema."""
        if self._plan.response_gate is None:
            self._chunks.append(to_chunk(self._plan, item))
            return
        if self._held is not _NOTHING:
            self._chunks.append(to_chunk(self._plan, self._held))
        self._held = item

    def takes_list(self, result: Any) -> bool:
        """Whether `result` is all chunks at once."""
        return self._plan.response_gate is None and isinstance(result, list)

    def content(self) -> tuple[Any, str]:
        """The whole result and its JSON: the response, or the list of chunks without an output schema."""
        if self._plan.response_gate is None:
            return write(self._plan, self._chunks)
        if self._held is _NOTHING:
            raise BrokenContract("its stream ended without a response")
        return written(self._plan, self._held)
