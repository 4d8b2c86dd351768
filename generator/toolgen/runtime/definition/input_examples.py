"""Arguments of examples, as a provider's API takes them beside a tool's schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.schema.dialects.published import Published
from toolgen.schema.document import JsonObject, Schema


@dataclass(frozen=True, slots=True)
class InputExamples:
    """The arguments to publish, and the positions of the examples that the published schema refuses."""

    arguments: tuple[JsonObject, ...] = ()
    refused: tuple[int, ...] = ()


def input_examples(
    examples: Sequence[Mapping[str, Any]], published: Published, limit: int, *, valid_for: Schema | None
) -> InputExamples:
    """Return the arguments of the first `limit` examples, with the property names that are published.

    Examples that end in an error are left out, and those without arguments: Anthropic's API fails with status
    500 on them (github.com/anthropics/anthropic-sdk-python/issues/1288; 2026-03). `valid_for` is a schema by
    which the examples are known to be valid; None if none is.
    """
    accepts = None
    if examples and limit and published.schema is not valid_for:
        from toolgen.runtime.validation.compiled_schema import compile_schema

        accepts = compile_schema(published.schema).accepts
    found: list[JsonObject] = []
    refused: list[int] = []
    for position, example in enumerate(examples):
        written = example.get("input")
        if len(found) == limit or "error" in example or not written or not isinstance(written, Mapping):
            continue
        arguments = {published.renames.get(name, name): value for name, value in written.items()}
        if accepts is None or accepts(arguments):
            found.append(arguments)
        else:
            refused.append(position)
    return InputExamples(tuple(found), tuple(refused))
