"""Plain specs, as most published tools are: six parameters, one a nested object, no output schema.

Tool number i is the same on every machine and in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from .corpus import Json, name, to_yaml
from .vocabulary import COUNTS, FIELDS, STATES


def specs(count: int) -> Iterator[tuple[str, str]]:
    """Return path below the specs folder → YAML text of the first `count` tools."""
    for number in range(count):
        yield f"{name(number)}.yaml", to_yaml(spec(number))


def spec(number: int) -> Json:
    """Return the spec of tool `number`."""
    verb, *words, _ = name(number).split("_")
    return {
        "name": name(number),
        "description": f"{verb.title()} a {' '.join(words)}. Nothing is changed if the input is incomplete.",
        "input_schema": _input(number),
    }


def mcp_tool(number: int) -> Json:
    """Return tool `number` as MCP publishes it."""
    said = spec(number)
    return {
        "name": said["name"],
        "description": said["description"],
        "inputSchema": said["input_schema"],
    }


def _input(number: int) -> Json:
    random = Random(f"plain {number}")
    (first, about_first), (second, about_second) = random.sample(FIELDS, 2)
    count, about_count = random.choice(COUNTS)
    return {
        "type": "object",
        "required": ["id", first],
        "properties": {
            "id": {"type": "string", "description": "Which one."},
            first: {"type": "string", "description": about_first},
            second: {"type": "string", "description": about_second},
            count: {"type": "integer", "description": about_count, "minimum": 1, "default": 20},
            "state": {
                "type": "string",
                "description": "Only those in this state.",
                "enum": sorted(random.sample(STATES, 4)),
            },
            "options": {
                "type": "object",
                "description": "How it is to be done.",
                "properties": {
                    "dry_run": {"type": "boolean", "description": "Change nothing.", "default": False},
                    "due_on": {"type": "string", "description": "The day it is due.", "format": "date"},
                },
            },
        },
    }
