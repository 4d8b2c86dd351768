"""The chunks of a stream add up to its response.

If the tool has no output schema, the response is the list of all chunks. Otherwise a property of the response
whose schema is an array of chunks, or a text where the chunks are texts, has to hold all of them, in order. A
response without such a property is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.schema.document import same_value
from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.tool_under_test import ToolUnderTest

_ABOUT = frozenset(("title", "description", "examples", "default", "deprecated", "$comment"))


def sums_of(tool: ToolUnderTest) -> list[str]:
    """Return the properties of the response to which the chunks may add up."""
    schema, chunk = tool.output_schema, tool.chunk_schema
    if not isinstance(schema, Mapping) or chunk is None:
        return []
    properties = schema.get("properties", {})
    return [name for name, each in properties.items() if isinstance(each, Mapping) and _sums(each, chunk)]


def _sums(schema: Mapping[str, Any], chunk: Any) -> bool:
    if schema.get("type") == "array":
        return bool(_bare(schema.get("items")) == _bare(chunk))
    return schema.get("type") == "string" == (chunk.get("type") if isinstance(chunk, Mapping) else None)


def _bare(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return {key: _bare(value) for key, value in schema.items() if key not in _ABOUT}
    return [_bare(each) for each in schema] if isinstance(schema, list) else schema


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.all("call"):
        answer = step.answer
        if answer.error is not None or answer.chunks is None:
            continue
        chunks = list(answer.chunks)
        if tool.output_schema is None:
            if not same_value(chunks, answer.content):
                yield CheckFault(
                    "the response is not the list of its chunks", diff=diff_lines(chunks, answer.content)
                )
            continue
        if not isinstance(answer.content, Mapping):
            continue
        sums = {name: answer.content[name] for name in sums_of(tool) if name in answer.content}
        # One property is enough: two may have the type of the chunks, and only one of them their sum.
        if sums and not any(_adds_up(chunks, value) for value in sums.values()):
            name, value = next(iter(sums.items()))
            yield CheckFault(
                f"the chunks do not add up to '{name}' of the response", diff=diff_lines(chunks, value)
            )


def _adds_up(chunks: list[Any], value: Any) -> bool:
    if isinstance(value, str):
        return "".join(map(str, chunks)) == value
    return same_value(chunks, value)


CHECK = Check("stream", _faults, applies=lambda tool: tool.chunk_schema is not None)
