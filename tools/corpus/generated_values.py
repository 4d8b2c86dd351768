"""Random values through generated tools, compared with jsonschema-rs and with jsonschema.

If the two validators differ without a known reason, that is a difference to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema  # type: ignore[import-untyped]
from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime import BaseTool
from toolgen.schema.document import subschemas
from toolgen.schema.validator import compiled

from tools.corpus.compiled_tools import compile_tools
from tools.corpus.random_schemas import schema_of
from tools.corpus.refused_values import refused_values
from tools.corpus.round_trip import check_request, check_response, check_round_trip
from tools.corpus.score import Score

COUNT = 8  # valid values per schema, and as many invalid ones
_ANYTHING: tuple[Any, ...] = (1.0, "", [{}], {}, {"": None, "a": 1, "__class__": [1e300]})


def measure_tool(score: Score, tool: type[BaseTool[Any, Any]], where: str) -> None:
    """Pass random values for both schemas through a tool, and record the results."""
    definition = tool.definition
    _measure(
        score, definition["input_schema"], f"{where}, input", lambda *of: check_request(score, tool, *of)
    )
    if "output_schema" in definition:
        schema = definition["output_schema"]
        _measure(score, schema, f"{where}, output", lambda *of: check_response(score, tool, *of))


def measure_schemas(first: int, count: int) -> Score:
    """Measure the random schemas from number `first` on, `count` of each draft, as tools."""
    score = Score("generated schemas")
    schemas = {
        f"{'d' if draft7 else 't'}{number}": schema_of(number, draft7)
        for number in range(first, first + count)
        for draft7 in (False, True)
    }
    with compile_tools(f"made_up_{first}", schemas) as (tools, refused):
        for name, fault in refused.items():
            score.refuse(name, fault.code)
        for name, tool in sorted(tools.items()):
            score["imported"].note(name, None)
            _measure(score, schemas[name], name, lambda *of, tool=tool: check_round_trip(score, tool, *of))
    score.tools = len(schemas)
    return score


def _measure(
    score: Score, schema: Mapping[str, Any], where: str, carry: Callable[[Any, bool, str], None]
) -> None:
    score.tools += 1
    judges = _Judges(schema)
    for number, value in enumerate(_values(schema, where)):
        place = f"{where}, value {number}"
        valid = judges.validator.is_valid(value)
        carry(value, valid, place)
        how, reason = judges.difference(value, valid)
        score["validators agree"].note(place, how if how and not reason else None)
        score.differ(reason, place)


def _values(schema: Mapping[str, Any], seed: str) -> Iterator[Any]:
    """Yield valid values, and some with one change that are refused; the same for the same seed."""
    generator = InstanceGenerator(schema)
    yield from generator.valid_values(seed=seed, count=COUNT)
    yield from refused_values(generator, seed=seed, count=COUNT)
    yield from _ANYTHING


class _Judges:
    """Two validators of one schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        draft7 = "draft-07" in str(schema.get("$schema"))
        kind = jsonschema.Draft7Validator if draft7 else jsonschema.Draft202012Validator
        self.schema = schema
        self.validator = compiled(schema)
        self.python = kind(schema, format_checker=kind.FORMAT_CHECKER)
        self.without_formats = kind(schema)

    def difference(self, value: Any, valid: bool) -> tuple[str, str]:
        """Return which validator refuses the value, by which keyword, and the reason if it is known."""
        try:
            error = next(self.python.iter_errors(value), None)
            plain = self.without_formats.is_valid(value) if (error is None) != valid else valid
        except Exception as wrong:  # error classes of Python's `re`, which differ between versions
            name = type(wrong).__name__
            return f"jsonschema fails with {name}", _RE if name in ("error", "PatternError") else ""
        if (error is None) == valid:
            return "", ""
        same = compiled(self.schema, formats=False).is_valid(value) == plain
        reason = _FORMATS if same else _reason(value, self.schema)
        if error is not None:
            return f"jsonschema refuses: {error.message[:200]}", reason
        return f"jsonschema-rs refuses: {next(self.validator.iter_errors(value)).message[:200]}", reason


_RE = "jsonschema reads patterns as Python does: `\\p{…}` is an error, `\\w` and `\\d` take every alphabet"
_END = "to jsonschema, `$` is before a last line break, too"
_BIG = "beyond 2^53, jsonschema compares what a float holds, and jsonschema-rs what was written"
_FRACTION = (
    "jsonschema divides by a fraction in floats (-499.53 by 0.01), jsonschema-rs as the decimals were written"
)
_FORMATS = "a format, of which jsonschema asserts less (an `@` makes an `email`), or as Python does (`regex`)"


def _reason(value: Any, schema: Mapping[str, Any]) -> str:
    """Return why the validators differ on `value`, apart from formats."""
    scalars = list(_scalars(value))
    if any(isinstance(each, int | float) and abs(each) > 2**53 for each in scalars):
        return _BIG
    divisors = (part.get("multipleOf", 1) for _, part in subschemas(schema))
    if any(isinstance(each, float) for each in scalars) and any(each % 1 for each in divisors):
        return _FRACTION
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
