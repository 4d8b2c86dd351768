"""Options of the calls of a client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from toolgen.runtime.content.block import Block

Progress: TypeAlias = Callable[[float, float | None, str | None], object]
"""Gets the progress of a call: what is done, the total if it is known, and a message. May be async."""
OnContent: TypeAlias = "Callable[[tuple[Block, ...]], object]"
"""Receives the blocks of a result that the method's return type cannot hold. May be async."""


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How calls are made; `ToolClient.with_options` documents them."""

    timeout: float | None = None
    retries: int = 0
    on_progress: Progress | None = None
    on_content: OnContent | None = None

    def __post_init__(self) -> None:
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError(f"timeout must be a number of seconds above 0, not {self.timeout!r}")
        if self.retries < 0:
            raise ValueError(f"retries must be 0 or more, not {self.retries!r}")
