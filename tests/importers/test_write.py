"""What is written reads back: by our reader, and by one of YAML 1.1, to the same JSON value in the same order."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolgen.language.reading.read import read
from toolgen.language.yaml12.writer import write

from tests.samples import examples

WORDS = ["yes", "No", "on", "y", "null", "~", "1_000", "12:30", "0o17", "0x1F", "1e3", ".5", "+1", "-", "?", ":",
         "<<", "=", "2026-01-01", "a: b", "a #b", "#", "- a", "{a}", "[a]", "*a", "&a", "!a", "|", ">", "%a", "@",
         "`", "'", '"', "\\", "a'b\"c", "...", "---", "--- a", " lead", "trail ", "tab\there", "\t", "\n", "\r\n",
         "a\n  b\n", "\n\na\n\n", "  a\nb", "a \nb", "\ta\nb", "a\n\n", "\x00", "\x07", "\x7f", "\x85", "\u2028",
         "\u2029", "\ufeff", "\ufffe", "\xa0", "é", "漢字", "😀", "", " ", ".inf", ".nan", "0b11", "190:20:30", "1.",
         "x" * 1100, "word " * 60 + "end", "a: " * 50, "long " * 40 + "\n" + "b" * 120, "key:", "a:b", "http://x/y", "http://x/?page=4", "a:?b",
         "00012", "1__2", "0.1.2", "685_230.15", "1e400", "Null", "TRUE", "False", "_", "$ref", "<a>", "(a)"]  # fmt: skip
texts = st.one_of(
    st.sampled_from(WORDS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(st.sampled_from(WORDS), max_size=5).map("\n".join),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(texts, texts, numbers, st.none(), st.booleans())
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=25,
)


def same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


@settings(max_examples=examples(600), deadline=None)
@given(st.dictionaries(texts, values, min_size=1, max_size=4))
@example({"a": [[[]], [{}], [["b"]], {"c": ["d\ne"]}]})
@example({"x" * 1100: {"y" * 1100: "a\nb"}, "k": 1e22, "z": -0.0})
def test_what_is_written_reads_back(data: dict[str, Any]) -> None:
    text = write(data)
    (source,) = read({"a.yaml": "# never taken for JSON\n" + text})
    assert same(source.data, data), text


@pytest.mark.parametrize("word", WORDS)
def test_every_hard_word(word: str) -> None:
    data = {"plain": word, "list": [word, {word: word}], word + "!": {"deep": {"er": [[word]]}}}
    text = write(data)
    assert same(read({"a.yaml": "#\n" + text})[0].data, data), text
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):  # libyaml, and a stricter one that is all Python
        assert same(yaml.load(text, loader), data), text
