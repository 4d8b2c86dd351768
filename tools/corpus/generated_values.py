"""Made-up values through generated tools, judged by jsonschema-rs and by jsonschema, each by its own code.

Where the two differ, the reason is found, or it is a miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema  # type: ignore[import-untyped]
from toolgen.runtime import BaseTool
from toolgen.runtime.validation.compiled_schema import compiled

from tools.corpus.compiled_tools import made
from tools.corpus.instances import instances
from tools.corpus.random_schemas import schema_of
from tools.corpus.round_trip import carried, requested, responded
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
    judges = _Judges(schema)
    for number, value in enumerate(instances(schema, where, COUNT)):
        place = f"{where}, value {number}"
        valid = judges.gate.is_valid(value)
        carry(value, valid, place)
        how, reason = judges.difference(value, valid)
        score["validators agree"].note(place, how if how and not reason else None)
        score.differ(reason, place)


class _Judges:
    """Two validators of one schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        draft7 = "draft-07" in str(schema.get("$schema"))
        kind = jsonschema.Draft7Validator if draft7 else jsonschema.Draft202012Validator
        self.schema = schema
        self.gate = compiled(schema)
        self.python = kind(schema, format_checker=kind.FORMAT_CHECKER)
        self.without_formats = kind(schema)

    def difference(self, value: Any, valid: bool) -> tuple[str, str]:
        """Who refuses what the other accepts, and by what; and why, where that is known."""
        try:
            error = next(self.python.iter_errors(value), None)
            plain = self.without_formats.is_valid(value) if (error is None) != valid else valid
        except Exception as wrong:  # Python's `re`, in its own class on each Python
            name = type(wrong).__name__
            return f"jsonschema fails with {name}", _RE if name in ("error", "PatternError") else ""
        if (error is None) == valid:
            return "", ""
        same = compiled(self.schema, formats=False).is_valid(value) == plain
        reason = _FORMATS if same else _reason(value)
        if error is not None:
            return f"jsonschema refuses: {error.message[:200]}", reason
        return f"jsonschema-rs refuses: {next(self.gate.iter_errors(value)).message[:200]}", reason


_RE = "jsonschema reads patterns as Python does: `\\p{…}` is an error, `\\w` and `\\d` take every alphabet"
_END = "to jsonschema, `$` is before a last line break, too"
_BIG = "beyond 2^53, jsonschema compares what a float holds, and jsonschema-rs what was written"
_FORMATS = "a format, of which jsonschema asserts less (an `@` makes an `email`), or as Python does (`regex`)"


def _reason(value: Any) -> str:
    """Why the validators differ on `value`, formats aside."""
    scalars = list(_scalars(value))
    if any(isinstance(each, int | float) and abs(each) > 2**53 for each in scalars):
        return _BIG
    texts = [each for each in scalars if isinstance(each, str)]
    if any(text.endswith("\n") for text in texts):
        return _END
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
