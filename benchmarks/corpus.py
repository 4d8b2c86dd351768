"""The specs of the benchmark.

Tool number i is the same on every machine and in every run. A spec has about 140 lines and 4.5 KB: six to
eight input properties with a nested object, an enum, an array of objects and a `$ref`, five to seven output
properties, and descriptions of 80 to 200 characters. Every third one uses a schema of a shared file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

Json = dict[str, Any]

WORDS: Json = json.loads(Path(__file__).with_name("vocabulary.json").read_text("utf-8"))

SHARED = "schemas/common.yaml"
MONEY: Json = {
    "type": "object",
    "description": "An amount of money; amounts are never negative, a payment back is a tool of its own.",
    "additionalProperties": False,
    "required": ["amount", "currency"],
    "properties": {
        "amount": {
            "type": "string",
            "description": "The amount with two decimals, a point between.",
            "pattern": r"^\d+\.\d\d$",
        },
        "currency": {"type": "string", "description": "Its currency.", "enum": ["EUR", "USD", "GBP", "JPY"]},
    },
}


def specs(count: int) -> Iterator[tuple[str, str]]:
    """Return path below the specs folder → YAML text of the first `count` tools and their shared schemas."""
    yield SHARED, to_yaml({"$defs": {"Money": MONEY}})
    for number in range(count):
        yield f"{name(number)}.yaml", to_yaml(spec(number))


def name(number: int) -> str:
    """Return the wire name of tool `number`."""
    verbs, things = WORDS["verbs"], WORDS["things"]
    verb, thing = verbs[number % len(verbs)], things[number // len(verbs) % len(things)]
    return f"{verb}_{thing}_{number:04}"


def spec(number: int) -> Json:
    """Return the spec of tool `number`."""
    verb, *words, _ = name(number).split("_")
    thing = " ".join(words)
    reads = verb in ("list", "verify", "export", "search")
    return {
        "toolgen": 1,
        "name": name(number),
        "title": f"{verb.title()} {thing} {number}",
        "description": (
            f"{verb.title()} one {thing} or several of them, with everything that belongs to them in the "
            f"system of the warehouse. What is incomplete is refused as a whole and nothing is changed."
        ),
        "use_when": f"The user asks to {verb} a {thing}, and it is clear which one is meant.",
        "avoid_when": f"The user only talks about a {thing}; ask what is to be done with it first.",
        "returns": f"The {thing} as it is afterwards, with its lines and what to do next.",
        "version": "1.0.0",
        "tags": [thing.replace(" ", "-")],
        "annotations": {
            "readOnlyHint": reads,
            "destructiveHint": False,
            "idempotentHint": reads,
            "openWorldHint": False,
        },
        "input_schema": _input(number),
        "output_schema": _output(number),
        "errors": [
            {"code": "not_found", "description": f"There is no such {thing}.", "hint": "Look for it first."},
            {"code": "locked", "description": "Somebody else is changing it.", "retryable": True},
        ],
    }


def _input(number: int) -> Json:
    random = Random(f"input {number}")
    properties: Json = {
        "id": {"type": "string", "description": "Which one.", "pattern": "^[A-Z]{2}-[0-9]{4,8}$"}
    }
    for key, text in random.sample(WORDS["fields"], 2 + number % 2):
        properties[key] = {"type": "string", "description": text, "minLength": 1, "maxLength": 200}
    key, text = random.choice(WORDS["counts"])
    properties[key] = {"type": "integer", "description": text, "minimum": 1, "maximum": 500, "default": 20}
    properties["state"] = {
        "type": "string",
        "description": "Only those in this state; every state counts when it is left out.",
        "enum": sorted(random.sample(WORDS["states"], 4)),
    }
    properties["options"] = _options(random)
    properties["lines"] = {
        "type": "array",
        "description": "The lines it is about, at least one, in the order in which they are printed.",
        "minItems": 1,
        "maxItems": 50,
        "items": {"$ref": "#/$defs/Line"},
    }
    schema = _object(properties, ["id", "lines"])
    schema["$defs"] = {"Line": _line(random)}
    return schema


def _options(random: Random) -> Json:
    return {
        "description": "How it is to be done; what is left out is done as the settings of the region say.",
        **_object(
            {
                "region": {
                    "type": "string",
                    "description": "The region whose rules hold.",
                    "enum": sorted(random.sample(WORDS["regions"], 3)),
                },
                "dry_run": {
                    "type": "boolean",
                    "description": "Look at everything, and change nothing.",
                    "default": False,
                },
                "due_on": {"type": "string", "description": "The day it is due.", "format": "date"},
                "threshold": {
                    "type": "number",
                    "description": "From which share on.",
                    "minimum": 0,
                    "maximum": 1,
                },
            },
            ["region"],
        ),
    }


def _line(random: Random) -> Json:
    return _object(
        {
            "article": {"type": "string", "description": "Number of the article.", "minLength": 3},
            "quantity": {"type": "number", "description": "How much of it.", "exclusiveMinimum": 0},
            "unit": {
                "type": "string",
                "description": "What is counted.",
                "enum": sorted(random.sample(WORDS["units"], 3)),
            },
        },
        ["article", "quantity"],
    )


def _output(number: int) -> Json:
    random = Random(f"output {number}")
    properties: Json = {
        "id": {"type": "string", "description": "Which one it is, as it is called from now on."},
        "state": {
            "type": "string",
            "description": "Where it stands now.",
            "enum": sorted(random.sample(WORDS["states"], 4)),
        },
        "changed": {"type": "integer", "description": "How many entries were changed by this.", "minimum": 0},
        "total": {"$ref": f"{SHARED}#/$defs/Money"}
        if number % 3 == 0
        else {"type": "number", "description": "What all of it amounts to, in the currency of the region."},
        "entries": {
            "type": "array",
            "description": "What was found or changed, the newest first.",
            "items": _object(
                {
                    "line": {"type": "integer", "description": "Number of the line.", "minimum": 1},
                    "message": {"type": "string", "description": "What happened to it."},
                    "at": {"type": "string", "description": "When that was.", "format": "date-time"},
                },
                ["line", "message"],
            ),
        },
        "next_actions": {
            "type": "array",
            "description": "What is sensible to do next, the most useful first; empty when nothing is.",
            "items": {"type": "string"},
        },
    }
    return _object(properties, ["id", "state", "changed", "entries"])


def _object(properties: Json, required: list[str]) -> Json:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def to_yaml(data: Json) -> str:
    """Return a spec's text."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """YAML as people write it: without anchors, lists of words on one line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _list(dumper: Any, items: list[Any]) -> Any:
    flat = not any(isinstance(item, dict | list) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flat)


_Dumper.add_representer(list, _list)
