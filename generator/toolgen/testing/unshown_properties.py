"""Find properties that change what a confirmed tool does, and that its question does not show.

An example is varied in one property at a time. If both calls ask the same question with the same preview, and
leave different states, the user has agreed to something that nobody showed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from toolgen.runtime.contract.page import value_at
from toolgen.schema.document import JsonObject, JsonPath
from toolgen.testing.observation import Observation, ObservedCall
from toolgen.testing.requests import KnownValues, changes_of, generated_requests
from toolgen.testing.subject import Call, Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_GENERATED: Final = 40  # generated requests whose values are tried
_TRIED: Final = 4  # values of one property
_MOST_PROPERTIES: Final = 16


@dataclass(frozen=True, slots=True)
class _Seen:
    """A call that succeeded, and what the user saw before it."""

    request: JsonObject
    step: ObservedCall
    questions: tuple[str, ...]
    preview: Any  # its text; its content if it has none

    def shows_as(self, other: _Seen) -> bool:
        """True if the user saw the same before both calls."""
        return (self.questions, self.preview) == (other.questions, other.preview)

    def changed_from(self, other: _Seen) -> _Seen | None:
        """Return the call with the difference of its state from the other's; None if there is none."""
        if self.step.after == other.step.after:
            return None
        return replace(self, step=replace(self.step, before=other.step.after))


async def observe_unshown(
    subject: Subject, tool: ToolUnderTest, example: ExpectedCall, *, seed: str
) -> Observation | None:
    """Return calls that show unshown properties; None if there are none, or the state varies by itself."""
    call = partial(_call, subject, tool)
    base, again = await call(example.arguments), await call(example.arguments)
    if base is None or again is None or again.changed_from(base) is not None:  # a clock is in the state, say
        return None
    found: dict[str, _Seen] = {}
    variations = _variations(tool, example, seed)
    for path in list(variations)[:_MOST_PROPERTIES]:
        name = ".".join("[0]" if step == 0 else str(step) for step in path).replace(".[", "[")
        if (other := await _find_unshown(call, base, variations[path])) is not None:
            found[name] = other
    if not found:
        return None
    seen = list(found.values())
    return Observation(seen[0].request, tuple(each.step for each in seen), variant=", ".join(found))


_Call = Callable[[JsonObject], Awaitable[_Seen | None]]


async def _find_unshown(call: _Call, base: _Seen, requests: list[JsonObject]) -> _Seen | None:
    """Return a call that shows the same as the example's and does something else."""
    for request in requests[:_TRIED]:
        varied = await call(request)
        if varied is None:
            continue
        if not varied.shows_as(base):
            return None  # the question shows the property, whichever value it has
        if (changed := varied.changed_from(base)) is not None:
            return changed
    return None


async def _call(subject: Subject, tool: ToolUnderTest, request: JsonObject) -> _Seen | None:
    """Make a preview and a call with fresh data; None if it fails or asks nothing."""
    call = Call(tool.name, request)
    async with subject.session() as session:
        preview = await session.preview(call) if tool.previews else None
        before = session.state()
        answer = await session.call(call)
        step = ObservedCall("unshown", answer, before, session.state())
    if answer.error is not None or not answer.questions:
        return None
    content = None if preview is None else preview.content
    text = content.get("message", content) if isinstance(content, Mapping) else content
    return _Seen(request, step, answer.questions, text)


def _variations(tool: ToolUnderTest, example: ExpectedCall, seed: str) -> dict[JsonPath, list[JsonObject]]:
    """Return the path of each property without parts → requests that differ from the example in it."""
    generated = list(generated_requests(tool, seed, _GENERATED))
    found: dict[JsonPath, list[JsonObject]] = {}
    for change in changes_of(tool, [example], KnownValues.of_tools([tool]), generated=generated):
        value = value_at(change.request, change.path)
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(change.path[-1], str) and not isinstance(first, dict):  # its parts have paths, too
            found.setdefault(change.path, []).append(change.request)
    return found
