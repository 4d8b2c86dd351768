"""Describing the faults of a refused call does not block the event loop."""

from __future__ import annotations

import json
from typing import Any

from tests.end_to_end.project import Project

LEVELS = 16  # each level doubles the number of interpretations
TOOL = """
from generated.tools.bomb import BombTool

class Bomb(BombTool):
    async def execute(self, request, context):
        return "done"
"""
CALL = """
import asyncio, json, sys, time
from generated.catalog import toolkit

async def main():
    longest = 0.0
    async def watch():
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - before)
    async with toolkit() as tools:
        await tools.call("bomb", json.loads(sys.argv[1]))
        watching = asyncio.create_task(watch())
        await asyncio.sleep(0)
        response = await tools.call("bomb", json.loads(sys.argv[1]))
        await asyncio.sleep(0)
        watching.cancel()
    assert "Invalid arguments" in str(response.error), response
    print(json.dumps([longest, response.success]))

asyncio.run(main())
"""


def refuse(project: Project, schema: dict[str, Any], arguments: str) -> float:
    """Return the longest time for which a refused call blocked the event loop."""
    spec = {"name": "bomb", "description": "A tool.", "input_schema": schema}
    project.write("specs/bomb.yaml", json.dumps(spec))
    project.write("tools/bomb.py", TOOL)
    project.generate()
    project.write("call.py", CALL)
    done = project.python("call.py", arguments)
    assert done.returncode == 0, done.stderr
    longest, success = json.loads(done.stdout)
    assert success is False
    return float(longest)


def test_a_refusal_of_two_branches_into_each_part_does_not_hold_the_loop(project: Project) -> None:
    definitions: dict[str, Any] = {f"a{LEVELS}": {"type": "integer"}}
    for level in range(LEVELS):
        into = {"type": "object", "properties": {"x": {"$ref": f"#/$defs/a{level + 1}"}}}
        definitions[f"a{level}"] = {"anyOf": [into, {**into, "description": "the same"}]}
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": definitions}
    arguments = '{"x": ' * (LEVELS + 1) + '"a"' + "}" * (LEVELS + 1)
    assert refuse(project, schema, arguments) < 0.2
