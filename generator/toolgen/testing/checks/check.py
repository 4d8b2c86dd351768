"""A check: what it looks at, and the faults that it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolgen.testing.calls.observation import Observation
from toolgen.testing.subjects.subject import Call
from toolgen.testing.tool_under_test import ToolUnderTest


@dataclass(frozen=True, slots=True)
class CheckFault:
    """One thing that is wrong in an observation."""

    message: str
    call: Call | None = None  # that shows it; None: the observation's request
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One property of an implementation."""

    name: str  # as reports show it
    faults: Callable[[ToolUnderTest, Observation], Iterator[CheckFault]]
    applies: Callable[[ToolUnderTest], bool]
    needs_state: bool = False  # it compares snapshots of the project's state
    needs_fresh_data: bool = False  # it compares with what was seen of the same data
