"""A request within the limit of bytes takes little time and memory, whatever its JSON consists of."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.end_to_end.project import ERAS, Project
from tests.end_to_end.raw_http import connect
from tests.end_to_end.wire import WAYS, Wire, served

PARTS = {
    "empty objects": "{}",
    "deep arrays": "[" * 190 + "]" * 190,
    "numbers": "1",
    "quotes between": '"\\"","[",{},"]"',
}
SIZE = 3_900_000
PATIENCE = 120.0  # seconds


def filled(part: str) -> str:
    """Return arguments of about 3.9 MB that consist of one part."""
    return '{"text": [' + ",".join([part] * (SIZE // (len(part) + 1))) + "]}"


@contextmanager
def wire_of(project: Project, way: str) -> Iterator[Wire]:
    project.generate()
    with served(project.root, way, project.environment({})) as wire:
        wire.call("echo", '{"text": "x"}', PATIENCE)  # what the first call imports
        yield wire


@pytest.mark.skipif(sys.platform != "linux", reason="needs the memory of another process")
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.slow] if "stdio" not in way else []) for way in WAYS[::2]]
)
def test_many_objects_and_arrays_are_refused_before_they_are_built(project: Project, way: str) -> None:
    with wire_of(project, way) as wire:
        for name, part in PARTS.items():
            wire.forget_peak()
            memory, seconds = wire.memory("VmRSS"), wire.processor_time()
            answer = wire.call("echo", filled(part), PATIENCE)
            assert b"-32600" in answer, name
            assert b"The request has more than 131072 values." in answer, name
            assert wire.processor_time() - seconds < 2.0, name
            assert wire.memory("VmHWM") - memory < 40_000_000, name
        # brackets in texts are not counted
        text = '[{"a": "\\\\"}, [' * 100_000
        answer = wire.call("echo", json.dumps({"text": text}), PATIENCE)
        assert json.dumps(text).encode() in answer or text.encode() in answer


@ERAS
async def test_a_request_in_another_encoding_cannot_hide_them(project: Project, era: str) -> None:
    """In UTF-16, the byte of a quote is a part of other characters."""
    project.generate()

    async with project.server() as server, connect(server.url, session=era == "legacy") as connection:
        text = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": "\u2200", '
        body = (text + '"text": [' + ",".join(["[]"] * 200_000) + '], "b": "\u2200"}}}').encode("utf-16")
        await connection.request("POST", body)
        status, _ = await connection.head()
        assert status == 413
