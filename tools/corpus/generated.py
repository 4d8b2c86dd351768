"""Made-up values through generated tools, judged by jsonschema-rs and by jsonschema, each by its own code.

Where the two differ, the reason is found, or it is a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema  # type: ignore[import-untyped]
from toolgen.runtime import BaseTool
from toolgen.runtime.gate import compiled

from tools.corpus.carry import carried, requested, responded
from tools.corpus.instances import instances
from tools.corpus.made import made
from tools.corpus.schemas import schema_of
from tools.corpus.score import Score

COUNT = 8  # values a schema, and as many with a fault


def measure_tool(score: Score, tool: type[BaseTool[Any, Any]], where: str) -> None:
    """Make values up for both schemas of a tool, and note what became of them."""
    definition = tool.definition
    _measure(score, definition["input_schema"], f"{where}, input", lambda *of: requested(score, tool, *of))
    if "output_schema" in definition:
        schema = definition["output_schema"]
        _measure(score, schema, f"{where}, output", lambda *of: responded(score, tool, *of))


def measure_schemas(first: int, count: int) -> Score:
    """The made-up schemas from number `first` on, `count` of each draft, as tools."""
    score = Score("generated schemas")
    schemas = {
        f"{'d' if draft7 else 't'}{number}": schema_of(number, draft7)
        for number in range(first, first + count)
        for draft7 in (False, True)
    }
    with made(f"made_up_{first}", schemas) as (tools, refused):
        for name, fault in refused.items():
            score.refuse(name, fault.code)
        for name, tool in sorted(tools.items()):
            score["imported"].note(name, None)
            _measure(score, schemas[name], name, lambda *of, tool=tool: carried(score, tool, *of))
    score.tools = len(schemas)
    return score


def _measure(
    score: Score, schema: Mapping[str, Any], where: str, carry: Callable[[Any, bool, str], None]
) -> None:
    score.tools += 1
    gate = compiled(schema)
    draft7 = "draft-07" in str(schema.get("$schema"))
    kind = jsonschema.Draft7Validator if draft7 else jsonschema.Draft202012Validator
    python = kind(schema, format_checker=kind.FORMAT_CHECKER)
    for number, value in enumerate(instances(schema, where, COUNT)):
        place = f"{where}, value {number}"
        valid = gate.is_valid(value)
        carry(value, valid, place)
        how, reason = _difference(python, gate, value, valid)
        score["validators agree"].note(place, how if how and not reason else None)
        score.differ(reason, place)


def _difference(python: Any, gate: Any, value: Any, valid: bool) -> tuple[str, str]:
    """Who refuses what the other accepts, and by which keyword; and why, where that is known."""
    try:
        error = next(python.iter_errors(value), None)
    except Exception as wrong:  # Python's `re`, in its own class on each Python
        how = f"jsonschema fails with {type(wrong).__name__}"
        return how, _RE if "re" in type(wrong).__module__ or type(wrong).__name__ == "error" else ""
    if (error is None) == valid:
        return "", ""
    if error is not None:
        return f"jsonschema refuses: {error.message[:200]}", _reason(
            value, f"{error.validator} {error.schema}"
        )
    found = next(gate.iter_errors(value))
    return f"jsonschema-rs refuses: {found.message[:200]}", _reason(value, found.message)


_RE = "jsonschema reads patterns as Python does: `\\p{…}` is an error, `\\w` and `\\d` take every alphabet"
_END = "to jsonschema, `$` is before a last line break, too"
_BIG = "beyond 2^53, jsonschema compares what a float holds, and jsonschema-rs what was written"
_REGEX = "the format `regex` is ECMA-262's to jsonschema-rs, and Python's to jsonschema"
_DURATION = "a `duration` has whole seconds (RFC 3339), which jsonschema does not mind"


def _reason(value: Any, said: str) -> str:
    """Why the validators differ on `value`; `said` is what the one that refuses says of it."""
    scalars = list(_scalars(value))
    if any(isinstance(each, int | float) and abs(each) > 2**53 for each in scalars):
        return _BIG
    texts = [each for each in scalars if isinstance(each, str)]
    if any(text.endswith("\n") for text in texts):
        return _END
    if "regex" in said:
        return _REGEX
    if "duration" in said and any("." in text for text in texts):
        return _DURATION
    return _RE if not all(map(str.isascii, texts)) else ""


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    else:
        yield value
