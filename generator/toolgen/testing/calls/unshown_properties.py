"""Find properties that change what a confirmed tool does, and that its question does not show.

An example is varied in one property at a time. If both calls ask the same question with the same preview, and
leave different states, the user has agreed to something that nobody showed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, value_key
from toolgen.schema.instances import InstanceGenerator
from toolgen.schema.validator import compiled
from toolgen.testing.calls.observation import Observation, Step
from toolgen.testing.subjects.subject import Call, Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_GENERATED: Final = 40  # generated requests whose values are tried
_TRIED: Final = 4  # values of one property
_MOST_PROPERTIES: Final = 16

Shown = tuple[tuple[str, ...], Any]
"""What the user sees before the call: the questions, and the text of the preview."""


async def observe_unshown(
    subject: Subject, tool: ToolUnderTest, example: ExpectedCall, *, seed: str
) -> Observation | None:
    """Return calls that show unshown properties; None if there are none, or the state varies by itself."""
    base = await _call(subject, tool, example.arguments)
    again = await _call(subject, tool, example.arguments)
    if base is None or again is None or base[1].after != again[1].after:  # a clock is in the state, say
        return None
    found: dict[str, Step] = {}
    first: JsonObject | None = None
    for name, requests in islice(_variations(tool, example.arguments, seed), _MOST_PROPERTIES):
        for request in islice(requests, _TRIED):
            varied = await _call(subject, tool, request)
            if varied is None:
                continue
            if varied[0] != base[0]:
                break  # the question shows the property, whichever value it has
            if varied[1].after != base[1].after:
                found[name], first = replace(varied[1], before=base[1].after), first or request
                break
    if first is None:
        return None
    return Observation(first, tuple(found.values()), variant=", ".join(found))


async def _call(subject: Subject, tool: ToolUnderTest, request: JsonObject) -> tuple[Shown, Step] | None:
    """Make a preview and a call with fresh data; None if it fails or asks nothing."""
    call = Call(tool.name, request)
    async with subject.session() as session:
        preview = await session.preview(call) if tool.previews else None
        before = session.state()
        answer = await session.call(call)
        step = Step("unshown", answer, before, session.state())
    if answer.error is not None or not answer.questions:
        return None
    content = None if preview is None else preview.content
    text = content.get("message", content) if isinstance(content, Mapping) else content
    return (answer.questions, text), step


def _variations(
    tool: ToolUnderTest, base: JsonObject, seed: str
) -> Iterator[tuple[str, Iterator[JsonObject]]]:
    """Yield the name of each property of a request, and valid requests that differ from `base` in it only."""
    generator = InstanceGenerator(tool.input_schema)
    sources = [each.arguments for each in tool.examples]
    sources += [
        value
        for value in generator.valid_values(seed=f"{seed} {tool.name}", count=_GENERATED)
        if isinstance(value, dict)
    ]
    values: dict[JsonPath, list[Any]] = {}
    for source in sources:
        for path, value in _leaves(source):
            values.setdefault(path, []).append(value)
    is_valid = compiled(tool.input_schema if isinstance(tool.input_schema, Mapping) else {}).is_valid
    for path, found in values.items():
        requests = (_with(base, path, value) for value in found)
        yield (
            ".".join("[0]" if step == 0 else str(step) for step in path).replace(".[", "["),
            (
                each
                for each in requests
                if each is not None and value_key(each) != value_key(base) and is_valid(each)
            ),
        )


def _leaves(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the values without parts, and their paths; of an array, those of its first item."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        yield from _leaves(value[0], (*path, 0))
    else:
        yield path, value


def _with(request: JsonObject, path: JsonPath, value: Any) -> JsonObject | None:
    """Return a copy of `request` with another value; None if it has no such place."""
    changed = copy.deepcopy(request)
    place: Any = changed
    for step in path[:-1]:
        try:
            place = place[step]
        except (KeyError, IndexError, TypeError):
            return None
    if not isinstance(place, dict):
        return None
    place[path[-1]] = value
    return changed
