"""Import the functions of a corpus as tools, and make all known calls: accepted unchanged, or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolgen.runtime import ToolError

from tools.corpus.generated_values import measure_tool
from tools.corpus.mocks import MockScore, measure_mocks
from tools.corpus.project import FailedError, project
from tools.corpus.round_trip import same_json
from tools.corpus.score import Score

_FOREIGN = frozenset(("java", "javascript"))  # their arguments are not JSON
_REQUIRED = re.compile(r"'(.+?)' is a required property")


def measure_openai(path: Path, mocks: MockScore | None = None) -> tuple[Score, Score]:
    """Import and generate every function in `path`, one per line with its `calls`, and make the calls.

    The functions are counted in `mocks` as well, if that is given.
    """
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    score = Score(path.name, tools=len(lines))
    made_up = Score(f"{path.name}: generated instances")
    for number, batch in enumerate(batches(lines)):
        _measure((score, made_up), batch, f"corpus_openai_{number}", mocks=mocks)
    return score, made_up


def batches(lines: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Distribute functions to projects without duplicate names: namesakes are of different applications."""
    batches: list[list[dict[str, Any]]] = []
    seen: dict[str, int] = {}
    for line in lines:
        name = function(line)["name"]
        index = seen[name] = seen.get(name, -1) + 1
        if index == len(batches):
            batches.append([])
        batches[index].append(line)
    return batches


def function(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the published function; a line may be the function itself."""
    found: dict[str, Any] = line.get("function_raw") or line.get("function") or dict(line)
    return found


def _measure(
    scores: tuple[Score, Score],
    lines: Sequence[dict[str, Any]],
    package: str,
    *,
    mocks: MockScore | None,
) -> None:
    score, made_up = scores
    with project(package) as made:
        try:
            score.notes += made.take("openai", [function(line) for line in lines])
        except FailedError as error:
            for line in lines:
                score["imported"].note(function(line)["name"], str(error))
            return
        if mocks is not None:
            measure_mocks(mocks, made.root, package)
        catalog = made.module("catalog")
        for line in lines:
            name = function(line)["name"]
            try:
                tool = catalog.tool_class(name)
            except KeyError:
                score["imported"].note(name, "not there")
                continue
            score["imported"].note(name, None)
            measure_tool(made_up, tool, str(line.get("id", name)))
            if line.get("language") in _FOREIGN:
                continue
            for call in line.get("calls", ()):
                _call(score, tool, call, f"{line.get('id', name)}, {call.get('entry')}")


def _call(score: Score, tool: Any, call: Mapping[str, Any], where: str) -> None:
    arguments = call["arguments"]
    try:
        request = tool.check_inputs(arguments)
    except ToolError as error:
        if call["valid"]:
            score["valid accepted"].note(where, str(error))
        else:
            refused = None if error.code == "invalid_request" else f"refused with {error.code}"
            score["invalid refused"].note(where, refused)
            score["right path"].note(where, _wrong_path(error, call.get("errors", ())))
        return
    if not call["valid"]:
        score["invalid refused"].note(where, f"accepted: {json.dumps(arguments)[:200]}")
        return
    score["valid accepted"].note(where, None)
    left = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    same = same_json(left, arguments)
    score["values unchanged"].note(where, None if same else f"became {json.dumps(left)[:200]}")


def _wrong_path(error: ToolError, known: Iterable[str]) -> str | None:
    """Describe the known faults whose paths are missing in our message; None if there are none."""
    details: Any = error.details
    paths = {fault["path"] for fault in details["faults"]} if details else set()
    missing = []
    for fault in known:
        steps, _, message = fault.partition(": ")
        path = [step for step in steps.split("/") if step]
        if required := _REQUIRED.match(message):
            path.append(required[1])
        wanted = "$" + "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in path)
        if wanted not in paths:
            missing.append(wanted)
    return f"reports {sorted(paths)}, not {missing}" if missing else None
