"""Values up to the size limit of a request are judged and explained in little time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from toolgen.runtime.contract.request import read_request
from toolgen.runtime.contract.tool_contract import contract_of
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults

from tests.processes import assert_processor_time, processor_limit
from tests.runtime.tool_factory import make_tool

# `SCHEMA` and `VALUE` are expressions: the values are large
JUDGE = """
import json, resource, time
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.runtime.validation.faults import find_faults, list_faults

schema, value = compile_schema(SCHEMA), VALUE
find_faults(schema, None)
resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
peak, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
valid = schema.is_valid(value)
faults = list_faults(find_faults(schema, value))
seconds, after = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([valid, seconds, (after - peak) / 1024, faults]))
"""
MANY = {
    "type": "object",
    "properties": {f"p{i}": {"type": "string"} for i in range(12)},
    "required": [f"p{i}" for i in range(12)],
}
OPEN_ARRAY = '{"x": [{} for _ in range(1_000_000)]}'


@dataclass(frozen=True, slots=True)
class Judged:
    """How a value was judged: the first faults, megabytes of memory."""

    valid: bool
    megabytes: float
    faults: str


def judge(schema: dict[str, Any], value: str) -> Judged:
    program = JUDGE.replace("SCHEMA", f"json.loads({json.dumps(schema)!r})").replace("VALUE", value)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]
    valid, seconds, megabytes, faults = json.loads(done.stdout)
    assert_processor_time(seconds, 3)
    return Judged(valid, megabytes, faults)


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_missing_properties_of_a_large_object_do_not_copy_it() -> None:
    judged = judge(MANY, OPEN_ARRAY)
    assert judged.faults.splitlines()[0] == "- $.p0: required property is missing"
    assert len(judged.faults.splitlines()) == 12
    assert judged.megabytes < 100


TOO_LARGE = "- $: too large or too deeply nested to be checked by this schema"


def test_values_whose_check_takes_too_long_are_refused_before_it() -> None:
    options = {"enum": [{"a": list(range(100)), "b": number} for number in range(200)]}
    schema = object_of(x={"type": "array", "items": options})
    judged = judge(schema, '{"x": [{"a": list(range(100)), "b": 199}] * 10_000}')
    assert (judged.valid, judged.faults) == (False, TOO_LARGE)


def test_long_integers_are_not_all_divided() -> None:
    judged = judge(object_of(x={"type": "array", "items": {"multipleOf": 0.01}}), '{"x": [10**4290] * 900}')
    assert (judged.valid, judged.faults) == (False, TOO_LARGE)


@pytest.mark.parametrize("digits", [20, 4_290])
def test_long_integers_are_not_all_compared_with_each_other(digits: int) -> None:
    schema = object_of(x={"type": "array", "uniqueItems": True})
    judged = judge(schema, f'{{"x": [10**{digits} + i for i in range({4_000_000 // digits // 10})]}}')
    assert (judged.valid, judged.faults) == (False, TOO_LARGE)


@pytest.mark.parametrize(
    ("items", "value"),
    [
        ({"multipleOf": 0.01}, "[1.25, 99.99, 7] * 50_000"),
        ({"enum": [{"a": 1}, {"a": 2}]}, '[{"a": 2}] * 50_000'),
    ],
)
def test_ordinary_values_of_such_schemas_are_accepted(items: dict[str, Any], value: str) -> None:
    judged = judge(object_of(x={"type": "array", "items": items}), f'{{"x": {value}}}')
    assert judged.valid


SCANS = [
    "^(?:a(?=.*$))*b$",
    r"^(?:\w(?!.*x))*$",
    "^(?=.*(?=a*b))a*$",
]


@pytest.mark.parametrize("pattern", SCANS)
def test_a_pattern_that_scans_from_many_places_takes_short_texts_only(pattern: str) -> None:
    schema = compile_schema(object_of(x={"type": "string", "pattern": pattern}))
    assert not schema.is_too_expensive({"x": "a" * 4_000})
    with processor_limit(0.5):
        assert schema.is_too_expensive({"x": "a" * 200_000})


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(?=.*\d)(?=.*[a-z]).{8,}$",
        "^(?!.*--)[a-z-]+$",
        "^(?!\\s*$).+",
    ],
)
def test_a_pattern_that_looks_ahead_once_takes_long_texts(pattern: str) -> None:
    schema = compile_schema(object_of(x={"type": "string", "pattern": pattern}))
    assert not schema.is_too_expensive({"x": "a1" * 50_000})


@pytest.mark.parametrize("pattern", ["^(?=a)(a|a)*(?!x)$", r"^(a*)*\1$"])
def test_many_texts_that_backtrack_are_refused_in_time(pattern: str) -> None:
    items = {"anyOf": [{"type": "string", "pattern": pattern}, {"type": "string"}]}
    schema = compile_schema(object_of(x={"type": "array", "items": items}))
    texts = [f"{'a' * 30}{number:b}".replace("0", "a").replace("1", "aa") + "!" for number in range(20_000)]
    with processor_limit(0.5):
        assert not schema.is_valid({"x": texts})


BACKTRACKING = r"^(\w+\s?)*$(?<!x)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"n": 5, "x": 2}, r"x\[0\]: too complicated", id="few slow texts"),
        pytest.param({"n": 5, "x": 9_000}, "too large or too deeply nested", id="too many"),
        pytest.param({"n": "5", "x": 2}, r"x\[0\]: too complicated", id="beside a coerced argument"),
    ],
)
def test_a_call_with_slow_texts_is_refused_in_time(arguments: dict[str, Any], message: str) -> None:
    items = {"type": "string", "pattern": BACKTRACKING}
    schema = object_of(n={"type": "integer"}, x={"type": "array", "items": items})
    contract = contract_of(type(make_tool(lambda *_: None, input_schema=schema)))
    texts = [f"{'a' * 30}{number}!" for number in range(arguments["x"])]
    with processor_limit(2), pytest.raises(InvalidRequestError, match=message):
        read_request(contract, {**arguments, "x": texts})


def test_branches_that_double_at_each_level_are_refused_in_time() -> None:
    def level(number: int) -> Any:
        following = {"$ref": f"#/$defs/n{(number + 1) % 40}"}
        return {"anyOf": [{"items": following, "minItems": 1}, {"items": following, "maxItems": 3}]}

    value: Any = "x"
    for _ in range(39):
        value = [value]
    levels = {f"n{number}": {"type": "array", **level(number)} for number in range(40)}
    schema = compile_schema({"$ref": "#/$defs/n0", "$defs": levels})
    with processor_limit(1):
        assert not schema.is_valid(value)
        assert [str(fault) for fault in find_faults(schema, value)] == [TOO_LARGE]


def test_only_the_first_of_many_unknown_names_get_suggestions() -> None:
    known = {f"property_of_the_order_{number}": {} for number in range(2_000)}
    schema = compile_schema({"properties": known, "additionalProperties": False})
    with processor_limit(0.3):
        faults = find_faults(schema, {f"property_of_tha_order_{number}": 1 for number in range(1_000)})
    assert ["did you mean" in str(fault) for fault in faults] == [True] * 3 + [False] * 997
