"""`format_spec`: fields in the order of the language; nothing else changes, and above all not the meaning."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.formatting import format_spec
from toolgen.language.reading.read import read
from toolgen.language.yaml12.writer import entry
from toolgen.runtime.definition.spec_schema import FIELDS
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.mcp import import_mcp
from toolgen.sources.openai import import_openai
from toolgen.sources.spec_names import ExistingNames

from tests.corpora import corpus
from tools.corpus.openai import function

WRITTEN = Path(__file__).with_name("format_spec_written.yaml").read_text("utf-8")

FORMATTED = Path(__file__).with_name("format_spec_formatted.yaml").read_text("utf-8")


def test_fields_get_the_order_of_the_language_and_all_else_stays() -> None:
    assert format_spec("order.yaml", WRITTEN) == FORMATTED


@pytest.mark.parametrize(
    ("written", "formatted"),
    [
        ("description: b\r\nname: a\r\n", "name: a\r\ndescription: b\r\n"),
        ("\ufeffdescription: b\nname: a\n", "\ufeffname: a\ndescription: b\n"),
        ("---\ndescription: b\nname: a\n...\n", "---\nname: a\ndescription: b\n...\n"),
        ("targets:\n  openai: {}\n  mcp: {}\nname: a\n", "name: a\ntargets:\n  mcp: {}\n  openai: {}\n"),
        ("confirm:\n  preview: true\n  # ask\n  message: m\n", "confirm:\n  # ask\n  message: m\n  preview: true\n"),
        ("description: 🐈 b\nname: a\u2028b\n", "name: a\u2028b\ndescription: 🐈 b\n"),
    ],
)  # fmt: skip
def test_layouts(written: str, formatted: str) -> None:
    assert format_spec("a.yaml", written) == formatted
    assert format_spec("a.yaml", formatted) == formatted


@pytest.mark.parametrize(
    "text",
    [
        "returns: |+\n  r\n\n\n# c\nname: a\n",
        '{"description": "b", "name": "a"}',
        "{description: b,\nname: a}\n",
        "- a\n- b\n",
    ],
)
def test_the_meaning_of_an_unusual_layout_stays(text: str) -> None:
    assert_only_moved(text, format_spec("a.yaml", text))


@pytest.mark.parametrize("text", ["a: [\n", "name: a\nname: b\n", "", "a: *b\n", b"\xff\xfe"])
def test_text_that_is_no_yaml_is_refused(text: str | bytes) -> None:
    with pytest.raises(SpecErrors):
        format_spec("a.yaml", text)


# The meaning


def data_of(text: str) -> Any:
    source = read({"a.yaml": text})[0]
    return json.dumps([source.data, sorted(map(repr, source.suppressions.items()))], sort_keys=True)


def comments(text: str) -> Counter[str]:
    """Return the comments of YAML: what is between its tokens."""
    try:
        tokens = list(yaml.scan(text, yaml.SafeLoader))
    except yaml.YAMLError:  # YAML 1.2 that PyYAML does not read
        return Counter()
    ends = [0, *(token.end_mark.index for token in tokens)]
    starts = [*(token.start_mark.index for token in tokens), len(text)]
    gaps = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return Counter(re.findall(r"(?:^|\s)#[^\n]*", gaps))


def assert_only_moved(before: str, after: str) -> None:
    assert data_of(after) == data_of(before)
    assert sorted(map(str.strip, comments(after).elements())) == sorted(
        map(str.strip, comments(before).elements())
    )
    assert format_spec("a.yaml", after) == after


def shuffled(fields: dict[str, Any], chance: random.Random) -> str:
    """Return a spec with its fields in any order, with comments and blank lines between them."""
    lines: list[str] = []
    for number, (key, value) in enumerate(chance.sample(list(fields.items()), len(fields))):
        lines += chance.choice([[], [""], [f"# about {number}"], ["", f"# part {number}", "", f"# {number}"]])
        lines += entry(key, value, 0)
        if key in ("name", "input_schema"):
            lines.append(f"  # the end of {number}")
    return "\n".join([*lines, "# end", ""])


def imported(name: str) -> Iterator[dict[str, Any]]:
    for line in corpus(name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if name.startswith("mcp"):
            tools = import_mcp([JsonDocument([row], 0)], name, ExistingNames())
        else:
            tools = import_openai([JsonDocument(function(row), 0)], name, ExistingNames())
        yield from (dict(tool.fields) for tool in tools)


def check_corpus(name: str, take: Callable[[int], bool]) -> int:
    chance = random.Random(26)
    count = 0
    for number, fields in enumerate(imported(name)):
        if not take(number):
            continue
        written = shuffled(fields, chance)
        formatted = format_spec("a.yaml", written)
        assert_only_moved(written, formatted)
        known = [key for key in json.loads(data_of(formatted))[0] if not key.startswith("x-")]
        assert set(known) <= set(FIELDS)
        order = list(yaml.compose(formatted, yaml.CSafeLoader).value)
        ranks = [FIELDS.index(key.value) for key, _ in order if key.value in FIELDS]
        assert ranks == sorted(ranks)
        count += 1
    return count


CORPORA = ["mcp_tools.public.jsonl", "openai_functions.public.jsonl"]


@pytest.mark.parametrize("name", CORPORA)
def test_imported_tools_keep_their_meaning_and_comments(name: str) -> None:
    assert check_corpus(name, lambda number: number % 25 == 0)
