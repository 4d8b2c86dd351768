"""Coverage of a contract: which declared errors, enum values and optional parameters calls have shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.schema.document import resolve_reference
from toolgen.testing.calls.observation import Observation
from toolgen.testing.tool_under_test import ToolUnderTest


@dataclass(slots=True)
class Coverage:
    """The coverage of one tool by its calls. Parameters and values count if the call succeeded."""

    tool: ToolUnderTest
    _errors: set[str] = field(default_factory=set)
    _sent: set[str] = field(default_factory=set)

    def add(self, seen: Observation) -> None:
        """Add an observation."""
        for step in seen.steps:
            if step.answer.error is not None:
                self._errors.add(step.answer.error)
            elif step.kind == "call":
                self._sent |= set(_sent(seen.arguments))

    def missing(self) -> list[str]:
        """Return what was not shown, in the order of the spec."""
        errors = [f"error {code}" for code in self.tool.errors if code not in self._errors]
        schema = self.tool.input_schema
        root = schema if isinstance(schema, Mapping) else {}
        required = root.get("required", ())
        found = list(errors)
        for name, each in root.get("properties", {}).items():
            path = json.dumps([name])
            if path not in self._sent:
                found += [] if name in required else [f"parameter {name}"]
                continue
            for value in _choices(root, each):
                if json.dumps([name, value]) not in self._sent:
                    found.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
        return found


def _sent(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield each parameter that was sent, and each of its values, as JSON."""
    for name, value in arguments.items():
        yield json.dumps([name])
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str | int | float | bool) or each is None:
                yield json.dumps([name, each])


def _choices(root: Mapping[str, Any], schema: Any) -> list[Any]:
    """Return the values of a parameter's enum, or of the enum of its items."""
    for _ in range(2):
        if isinstance(schema, Mapping) and "$ref" in schema and "enum" not in schema:
            found = resolve_reference(root, schema["$ref"])
            schema = None if found is None else found.value
        if not isinstance(schema, Mapping):
            return []
        if isinstance(schema.get("enum"), list):
            return [each for each in schema["enum"] if not isinstance(each, list | dict)]
        schema = schema.get("items")
    return []
