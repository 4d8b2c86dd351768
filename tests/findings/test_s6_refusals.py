"""S6: explaining why a call is refused must not hold the event loop."""

from __future__ import annotations

import json
from typing import Any

from .project import Project

LEVELS = 8  # 3**8 ways: about the most that is generated
DIAMOND = {f"a{n}": {"oneOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 3} for n in range(LEVELS)}
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
        watching.cancel()
    print(json.dumps([longest, response.success]))

asyncio.run(main())
"""


def refuse(project: Project, schema: dict[str, Any], arguments: str) -> float:
    """The longest time that a refused call held the event loop for."""
    spec = {"name": "bomb", "description": "A tool.", "input_schema": schema}
    project.write("specs/bomb.yaml", json.dumps(spec))
    project.generate()
    project.write("call.py", CALL)
    done = project.python("call.py", arguments)
    assert done.returncode == 0, done.stderr
    longest, success = json.loads(done.stdout)
    assert success is False
    return float(longest)


def test_a_refusal_of_many_branches_does_not_hold_the_loop(project: Project) -> None:
    last = {"type": "object", "required": [f"x{n}" for n in range(20)]}
    schema = {"type": "object", "$ref": "#/$defs/a0", "$defs": {**DIAMOND, f"a{LEVELS}": last}}
    assert refuse(project, schema, "{}") < 0.2


def test_a_refusal_of_branches_on_every_level_does_not_hold_the_loop(project: Project) -> None:
    branches = [{"properties": {"of": {"$ref": "#"}, name: {"type": "integer"}}} for name in ("a", "b", "c")]
    schema = {"type": "object", "anyOf": branches}
    arguments = '{"of": ' * 20 + "1" + "}" * 20
    assert refuse(project, schema, arguments) < 0.2
