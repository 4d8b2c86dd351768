"""Published tools in OpenAI strict mode: in the documented subset, arguments restored exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from strict_subset import faults
from strict_values import Strict
from toolgen.schema.dialects.openai import publish, to_strict
from toolgen.schema.document import SchemaDocument
from toolgen.schema.strict.restore import restorer

from tests.corpora import at_least
from tests.corpora import corpus as corpus_path

FILES = ["mcp_tools.public.jsonl", "openai_functions.public.jsonl"]
FOREIGN = ("java", "javascript")  # their calls are not written in JSON


@cache
def corpus(name: str) -> list[tuple[str, dict[str, Any], list[Any]]]:
    """(tool, schema, arguments of known valid calls)."""
    text = corpus_path(name).read_text(encoding="utf-8")
    return [_entry(json.loads(line)) for line in text.splitlines() if line.strip()]


def _entry(line: dict[str, Any]) -> tuple[str, dict[str, Any], list[Any]]:
    if "function" not in line:
        return line["name"], line["inputSchema"], []
    calls = [] if line["language"] in FOREIGN else line["calls"]
    valid = [call["arguments"] for call in calls if call["valid"]]
    return line["function"]["name"], line["function"]["parameters"], valid


def strict(name: str) -> Iterator[tuple[str, dict[str, Any], list[Any], Strict, bool]]:
    for tool, schema, calls in corpus(name):
        made = to_strict(SchemaDocument(schema))
        if made.schema is not None:
            yield tool, schema, calls, Strict(made.schema), not made.losses


@pytest.mark.parametrize("name", FILES)
def test_every_strict_schema_is_in_the_documented_subset(name: str) -> None:
    found = {tool: faults(form.schema) for tool, _, _, form, _ in strict(name)}
    assert len(found) > 0.7 * len({tool for tool, _, _ in corpus(name)})
    assert {tool: wrong for tool, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("name", FILES)
def test_only_lossless_forms_are_published_unless_the_author_asks(name: str) -> None:
    for _, schema, _ in corpus(name):
        made, published = to_strict(SchemaDocument(schema)), publish(SchemaDocument(schema), None)
        assert published.schema == (schema if made.losses else made.schema)
        assert (published.strict, published.losses) == (not made.losses, ())


@pytest.mark.parametrize("name", FILES)
def test_known_calls_are_restored_unchanged(name: str) -> None:
    sent, changed = 0, []
    for tool, schema, calls, form, _ in strict(name):
        restore = restorer(SchemaDocument(schema))
        for arguments in calls:
            encoded = form.encode(form.schema, arguments)
            if form.accepts(form.schema, encoded):
                sent += 1
                if json.dumps(restore(encoded), sort_keys=True) != json.dumps(arguments, sort_keys=True):
                    changed.append((tool, arguments, encoded))
    assert changed == []
    assert sent >= at_least(name, 3_000) or "functions" not in name


@pytest.mark.parametrize("name", FILES)
def test_random_strict_values_are_valid_and_restored(name: str) -> None:
    random, tried, wrong = Random(4), 0, []
    for tool, schema, _, form, lossless in strict(name):
        restore, author = restorer(SchemaDocument(schema)), Draft202012Validator(schema)
        for _ in range(3):
            sent = form.sample(random, form.schema)
            if not form.accepts(form.schema, sent):
                continue
            meant = restore(sent)
            if lossless and not author.is_valid(meant):
                wrong.append((tool, sent, "refused"))
            if author.is_valid(meant):
                tried += 1
                if restore(form.encode(form.schema, meant)) != meant:
                    wrong.append((tool, sent, "changed"))
    assert wrong == []
    assert tried >= at_least(name, 1_000)
