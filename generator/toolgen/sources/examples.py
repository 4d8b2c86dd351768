"""Examples of a source, as examples of a spec: those that its schemas accept, without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jsonschema_rs

from toolgen.runtime.logs.secret_texts import secret_texts
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.schema.document import Schema, value_key

MAX_EXAMPLES: Final = 5  # of one tool
MAX_BYTES: Final = 4_000  # of one input or output as JSON: specs are read by people
_MAX_NAME: Final = 100  # characters


@dataclass(frozen=True, slots=True)
class SourceExample:
    """A call as the source shows it."""

    input: Any
    name: str = ""  # as the source calls it
    output: Any = None
    has_output: bool = False


def examples_of_schema(schema: Mapping[str, Any]) -> Iterator[SourceExample]:
    """Yield the arguments that an input schema itself shows: `examples` and `default` at its root."""
    listed = schema.get("examples")
    yield from (SourceExample(value) for value in (listed if isinstance(listed, list) else ()))
    if schema.get("default"):
        yield SourceExample(schema["default"], "default")


def add_examples(fields: dict[str, Any], found: Iterable[SourceExample]) -> list[str]:
    """Add the field `examples` to those of a spec: up to five different ones that its schemas accept.

    An output is added only where it is valid. Return a sentence for each example that was left out.
    """
    written: list[dict[str, Any]] = []
    left_out: list[str] = []
    request = response = None
    seen: set[object] = set()
    for example in found:
        if len(written) == MAX_EXAMPLES:
            break
        request = request or _validator(fields["input_schema"])
        if reason := _unusable(example.input, request):
            left_out.append(f"an example {reason}: left out")
        elif value_key(example.input) not in seen:
            seen.add(value_key(example.input))
            written.append({"name": _name(example.name, written), "input": example.input})
            response = response or _validator(fields.get("output_schema", {}))
            reason = _unusable(example.output, response) if example.has_output else None
            if reason:
                left_out.append(f"an example's response {reason}: its request alone is an example")
            elif example.has_output:
                written[-1]["output"] = example.output
    if written:
        fields["examples"] = written
    return left_out


def _validator(schema: Schema) -> CompiledSchema | None:
    """Return the validator of a schema; None if it cannot be enforced, which is reported elsewhere."""
    try:
        return compile_schema(schema)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _unusable(value: Any, validator: CompiledSchema | None) -> str | None:
    """Return why a value cannot be part of an example; None if it can."""
    if any(secret_texts(value)):
        return "with what looks like a secret"
    if len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
        return f"with more than {MAX_BYTES:,} bytes"
    if validator is None or not validator.is_valid(value):
        return "that the schema does not accept"
    return None


def _name(written: str, others: list[dict[str, Any]]) -> str:
    """Return a name on one line that no other example has."""
    base = " ".join("".join(each if each.isprintable() else " " for each in written).split())[:_MAX_NAME]
    taken = {each["name"] for each in others}
    base = base or "example"
    name, number = base, 2
    while name in taken:
        name, number = f"{base} {number}", number + 1
    return name
