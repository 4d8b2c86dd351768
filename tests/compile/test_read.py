"""YAML 1.2 is read as JSON data, with the location of every value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import read
from toolgen.language.source import Source, Span


def one(text: str | bytes) -> Source:
    return read({"a.yaml": text})[0]


def codes(text: str | bytes) -> list[str]:
    with pytest.raises(SpecErrors) as refused:
        read({"a.yaml": text})
    return [diagnostic.code for diagnostic in refused.value.diagnostics]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("null", None),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("0644", 644),
        ("0o644", 0o644),
        ("0x1F", 31),
        ("1e3", 1000.0),
        ("'<<'", "<<"),
        ("! no", "no"),
        ("!!str 12", "12"),
        ('"\\u00e9\\0\\x41"', "é\0A"),
        ("http://x", "http://x"),
    ],
)
def test_scalars_are_those_of_the_core_schema(written: str, value: object) -> None:
    data: Any = one(f"key: {written}\n").data
    assert data == {"key": value}
    assert type(data["key"]) is type(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_any_json_reads_back_equal(data: dict[str, Any], ascii_only: bool, indent: int | str | None) -> None:
    source = one(json.dumps(data, ensure_ascii=ascii_only, indent=indent))
    assert source.data == data
    assert source.value().line == 1


def test_locations_count_as_editors_do() -> None:
    source = one("name: x\r\nlist:\r\n  - é: [1, {b: two}]\r\n")
    assert source.key(("list",)) == Span("a.yaml", 2, 1, 4)
    assert source.value(("list", 0, "é", 0)) == Span("a.yaml", 3, 9, 1)
    assert source.value(("list", 0, "é", 1, "b")) == Span("a.yaml", 3, 16, 3)
    assert source.key(("list", 0, "é", 1, "b")) == Span("a.yaml", 3, 13, 1)


def test_an_aliased_value_is_located_at_the_alias() -> None:
    source = one("a: &a {b: {c: 1}}\nd: *a\n")
    assert source.data == {"a": {"b": {"c": 1}}, "d": {"b": {"c": 1}}}
    assert source.value(("d", "b", "c")) == Span("a.yaml", 2, 4, 2)


def test_all_faults_of_all_files_in_one_run() -> None:
    with pytest.raises(SpecErrors) as refused:
        read({"b.yaml": "a: 1\na: 2\n1: x\nb: .inf", "a.yaml": "", "c.yaml": "@"})
    found = [(d.span.file, d.code) for d in refused.value.diagnostics]
    assert found == [
        ("a.yaml", "empty-file"),
        ("b.yaml", "duplicate-key"),
        ("b.yaml", "key-not-text"),
        ("b.yaml", "not-a-json-number"),
        ("c.yaml", "yaml-syntax"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"\xef\xbb\xbfa: \xff", "not-utf-8"),
        ('{"a": "\\ud800"}', "lone-surrogate"),
        ('{"a": ' + "[" * 300 + "]" * 300 + "}", "too-deep"),
        ("a: &a 1\na2: *b", "unknown-alias"),
        ("a: &a " + "x" * 100_000 + "\nb: [" + ", ".join(["*a"] * 1000) + "]", "alias-bomb"),
        ("a: &a " + "[" * 150 + "]" * 150 + "\nb: " + "[" * 150 + "*a" + "]" * 150, "too-deep"),
        ("a: \x7f", "control-character"),
    ],
)
def test_text_that_json_cannot_express_is_refused(text: str | bytes, code: str) -> None:
    assert codes(text) == [code]


@given(st.text(st.sampled_from("ab1:-?[]{},&*!|>'\"%@`#~<.\\\n\t \u2028\x85é")) | st.text() | st.binary())
def test_any_file_is_read_or_refused_with_a_location(raw: str | bytes) -> None:
    places = []
    try:
        (source,) = read({"a.yaml": raw})
        json.dumps(source.data, allow_nan=False, ensure_ascii=False).encode("utf-8")
        places.append(source.value())
    except SpecErrors as errors:
        places.extend(fault.span for fault in errors.diagnostics)
    lines = len(_text(raw).split("\n"))
    assert places
    assert all(1 <= span.line <= lines and span.column >= 1 for span in places)


def _text(raw: str | bytes) -> str:
    text = raw.decode("utf-8", errors="replace") if isinstance(raw, bytes) else raw
    return text.replace("\r\n", "\n").replace("\r", "\n")
