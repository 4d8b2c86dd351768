"""Call every tool of a corpus on its mock, and validate every answer with the source's output schema."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime import Toolkit, ToolResponse
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.testing import mock_toolkit

from tools.corpus.score import Tally

ANSWERS = 4  # for each tool


@dataclass(slots=True)
class MockScore:
    """The answers of the mocks of one corpus."""

    corpus: str
    tools: int = 0
    answers: Tally = field(default_factory=Tally)
    without_output_schema: int = 0  # answers that may be any JSON value
    without_request: list[str] = field(default_factory=list)  # tools for which no valid request was found


def measure_mocks(score: MockScore, root: Path, where: str) -> None:
    """Call every tool of the project at `root` on its mock, each with several requests."""
    toolkit = mock_toolkit(root)
    schemas = {name: _compiled(definition) for name, definition in toolkit.definitions.items()}
    for name, responses in asyncio.run(_answers(toolkit)).items():
        score.tools += 1
        score.without_output_schema += len(responses) if schemas[name] is None else 0
        if not responses:
            score.without_request.append(f"{where}: {name}")
        for response in responses:
            score.answers.note(f"{where}: {name}", _problem(response, schemas[name]))


async def _answers(toolkit: Toolkit) -> Mapping[str, Sequence[ToolResponse]]:
    found: dict[str, list[ToolResponse]] = {}
    for name, definition in toolkit.definitions.items():
        generator = InstanceGenerator(definition["input_schema"])
        requests = list(generator.valid_values(seed=name, count=ANSWERS))
        found[name] = [await toolkit.call(name, request) for request in requests]
    return found


def _compiled(definition: Mapping[str, Any]) -> CompiledSchema | None:
    schema = definition.get("output_schema")
    return None if schema is None else compile_schema(schema)


def _problem(response: ToolResponse, schema: CompiledSchema | None) -> str | None:
    if response.error is not None:
        return response.error.as_text()
    if schema is not None and not schema.accepts(response.content):
        return "the answer is not valid"
    return None


def mocks_table(scores: Sequence[MockScore]) -> str:
    """Return a table with a row for each corpus, and the tools that have no valid request."""
    rows = [("corpus", "tools mocked", "valid answers", "of these without an output schema"), ("---",) * 4]
    rows += [
        (each.corpus, f"{each.tools:,}", str(each.answers), f"{each.without_output_schema:,}")
        for each in scores
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    for each in scores:
        lines += [f"no valid request: {each.corpus}: {name}" for name in each.without_request]
    return "\n".join(lines)
