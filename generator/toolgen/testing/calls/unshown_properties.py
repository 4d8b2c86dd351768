"""Find properties that change what a confirmed tool does, and that its question does not show.

An example is varied in one property at a time. If both calls ask the same question with the same preview, and
leave different states, the user has agreed to something that nobody showed. Questions cut long values: two
that differ only after the cut are tried, too.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from toolgen.runtime.confirmation.question import MAX_VALUE
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


@dataclass(frozen=True, slots=True)
class _Variation:
    """Valid requests that differ in one property."""

    name: str  # of the property
    requests: Iterator[JsonObject]  # that differ from the example in it
    long_pairs: Iterator[tuple[JsonObject, JsonObject]]  # that differ in the end of a long value of it


async def observe_unshown(
    subject: Subject, tool: ToolUnderTest, example: ExpectedCall, *, seed: str
) -> Observation | None:
    """Return calls that show unshown properties; None if there are none, or the state varies by itself."""
    base = await _call(subject, tool, example.arguments)
    again = await _call(subject, tool, example.arguments)
    if base is None or again is None or base[1].after != again[1].after:  # a clock is in the state, say
        return None
    found: dict[str, tuple[JsonObject, Step]] = {}
    for variation in islice(_variations(tool, example.arguments, seed), _MOST_PROPERTIES):
        for request in islice(variation.requests, _TRIED):
            varied = await _call(subject, tool, request)
            if varied is None:
                continue
            if varied[0] != base[0]:
                break  # the question shows the property, whichever value it has
            if varied[1].after != base[1].after:
                found[variation.name] = request, replace(varied[1], before=base[1].after)
                break
        if variation.name in found:
            continue
        for one, other in islice(variation.long_pairs, _TRIED):
            first, second = await _call(subject, tool, one), await _call(subject, tool, other)
            if first is None or second is None:
                continue
            if first[0] == second[0] and first[1].after != second[1].after:
                found[f"the end of {variation.name}"] = other, replace(second[1], before=first[1].after)
            break
    if not found:
        return None
    requests, steps = zip(*found.values(), strict=True)
    return Observation(requests[0], steps, variant=", ".join(found))


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


def _variations(tool: ToolUnderTest, base: JsonObject, seed: str) -> Iterator[_Variation]:
    """Yield a variation for each property of a request that an example or a generated request has."""
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

    def requests(path: JsonPath, values: Iterable[Any]) -> Iterator[JsonObject]:
        for value in values:
            request = _with(base, path, value)
            if request is not None and is_valid(request):
                yield request

    def long_pairs(path: JsonPath, values: Iterable[Any]) -> Iterator[tuple[JsonObject, JsonObject]]:
        for value in values:
            pair = [*requests(path, _long_pair(value))]
            if len(pair) == 2:
                yield pair[0], pair[1]

    for path, found in values.items():
        yield _Variation(
            ".".join("[0]" if step == 0 else str(step) for step in path).replace(".[", "["),
            (each for each in requests(path, found) if value_key(each) != value_key(base)),
            long_pairs(path, found),
        )


def _long_pair(value: Any) -> tuple[Any, ...]:
    """Return two values that are equal as far as a question shows them; none if they cannot be made."""
    if isinstance(value, str):
        start = value[:MAX_VALUE].ljust(MAX_VALUE, "x")
        return f"{start}a", f"{start}b"
    if isinstance(value, list) and value and isinstance(value[0], str):
        items = [f"{value[0]}{number}" for number in range(MAX_VALUE // 3)]
        return [*items, f"{value[0]}a"], [*items, f"{value[0]}b"]
    return ()


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
