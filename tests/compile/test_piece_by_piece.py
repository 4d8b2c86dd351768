"""What is made spec by spec, by whomever, from whatever is known already, is what is made of all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from toolgen.compile.format import format_tree
from toolgen.compile.lower import lower
from toolgen.compile.models import _classes
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.package import PackageSettings
from toolgen.incremental import Made
from toolgen.models.class_builder import ModelClass
from toolgen.models.engine import batches, print_modules
from toolgen.pipeline import compile_specs, emit, understand

from tests.models.kit import TARGETS

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
SETTINGS = PackageSettings(implementations="work")
Texts = dict[str, bytes]


def texts_below(folder: Path) -> Texts:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))}


PROJECTS = {
    "gallery": ROOT / "specs",
    **{case.parent.name: case for case in sorted(CASES.glob("accepted/*/specs"))},
    **{
        f"{case.parent.parent.name}-{case.parent.name}": case
        for case in sorted(CASES.glob("*/*/project"))
        if case.parent.parent.name != "accepted"
    },
}


def one_by_one(make: Callable[[Sequence[str]], Made], paths: Sequence[str]) -> Iterator[Made]:
    """A crew that works backwards, and looks at one spec at a time."""
    yield from (make([path]) for path in reversed(paths))


def fate(texts: Texts, cache: dict[str, bytes], crew: object = None) -> tuple[object, object]:
    try:
        output = compile_specs(texts, TARGETS, SETTINGS, cache, *([crew] if crew else []))  # type: ignore[arg-type]
    except SpecErrors as errors:
        return "refused", errors.diagnostics
    return dict(output.tree), output.warnings


def together(texts: Texts) -> tuple[object, object]:
    try:
        program = understand(texts, TARGETS, f"{SETTINGS.specs}/")
        tree = emit(program, TARGETS, SETTINGS, {})
    except SpecErrors as errors:
        return "refused", errors.diagnostics
    found: set[Diagnostic] = set(program.warnings)
    return dict(tree), tuple(sorted(found, key=lambda each: (each.span, each.code, each.message)))


@pytest.mark.parametrize("project", PROJECTS)
def test_whoever_makes_it(project: str) -> None:
    texts = texts_below(PROJECTS[project])
    expected = together(texts)
    assert fate(texts, {}) == expected
    cache: dict[str, bytes] = {}
    assert fate(texts, cache, one_by_one) == expected
    assert fate(texts, cache) == expected, "from the cache alone"


@pytest.mark.parametrize("project", PROJECTS)
def test_one_spec_is_new(project: str) -> None:
    texts = texts_below(PROJECTS[project])
    expected = together(texts)
    for path in list(texts)[:6]:
        cache: dict[str, bytes] = {}
        fate({other: text for other, text in texts.items() if other != path}, cache)
        assert fate(texts, cache) == expected, path


@pytest.mark.parametrize("project", PROJECTS)
def test_one_spec_is_edited(project: str) -> None:
    """What all tools share is there already, and most of it stays."""
    texts = texts_below(PROJECTS[project])
    cache: dict[str, bytes] = {}
    fate(texts, cache)
    for path in list(texts)[:3]:
        edited = {**texts, path: texts[path].replace(b"description: ", b"description: Edited. ", 1)}
        assert fate(edited, cache) == together(edited), path


TOOL = b"""\
name: %s
description: Say it.
input_schema:
  type: object
  properties: {one: {$ref: 'shared/common.yaml#/$defs/One'}}
"""
COMMON = b"$defs:\n  One: {$ref: 'deep.yaml#/$defs/Two'}\n"
DEEP = b"$defs:\n  Two: {type: %s}\n"


def shared_project(kind: bytes = b"string") -> Texts:
    tools = {f"{name.decode()}.yaml": TOOL % name for name in (b"one", b"two")}
    alone = TOOL.replace(b"{$ref: 'shared/common.yaml#/$defs/One'}", b"{type: string}") % b"three"
    return {**tools, "three.yaml": alone, "shared/common.yaml": COMMON, "shared/deep.yaml": DEEP % kind}


def test_a_change_of_what_is_shared_reaches_those_who_use_it_and_nobody_else() -> None:
    cache: dict[str, bytes] = {}
    asked: list[str] = []

    def crew(make: Callable[[Sequence[str]], Made], paths: Sequence[str]) -> Iterator[Made]:
        asked.extend(paths)
        yield make(paths)

    assert fate(shared_project(), cache, crew) == together(shared_project())
    assert sorted(asked) == ["one.yaml", "three.yaml", "two.yaml"]
    asked.clear()
    changed = shared_project(b"integer")
    assert fate(changed, cache, crew) == together(changed)
    assert sorted(asked) == ["one.yaml", "two.yaml"]
    asked.clear()
    assert fate(changed, cache, crew) == together(changed)
    assert asked == []


def test_what_nobody_uses_is_looked_at_all_the_same() -> None:
    cache: dict[str, bytes] = {}
    texts = {**shared_project(), "shared/unused.yaml": DEEP % b"string"}
    fate(texts, cache)
    texts["shared/unused.yaml"] = DEEP % b"strin"
    assert fate(texts, cache) == together(texts)
    assert fate(texts, cache)[0] == "refused"


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"null", b'{"file": 1}', b"\xff"])
def test_an_entry_that_says_something_else_is_made_again(damage: bytes) -> None:
    cache: dict[str, bytes] = {}
    expected = fate(shared_project(), cache)
    for key, entry in list(cache.items()):
        if entry.startswith(b'{"file"'):
            cache[key] = damage
    assert fate(shared_project(), cache) == expected


def modules() -> list[dict[str, ModelClass]]:
    found: list[dict[str, ModelClass]] = []
    for folder in (ROOT / "specs", *sorted(CASES.glob("accepted/*"))):
        texts = texts_below(folder)
        found += map(_classes, lower(understand(texts, TARGETS), PackageSettings()).tools)
    return found


def test_the_engine_prints_the_same_in_company_and_alone() -> None:
    asked = modules()
    assert any(len(batch) > 4 for batch in batches(asked))
    assert any(len(batch) == 1 for batch in batches(asked)), "none of them is circular"
    printed = print_modules(asked)
    alone = [print_modules([module])[0] for module in asked]
    laid_out, expected = (
        format_tree({f"{number}.py": text for number, text in enumerate(texts)}) for texts in (printed, alone)
    )
    assert laid_out == expected


def test_of_what_is_printed_of_all_tools_only_the_last_is_kept() -> None:
    """It is large: a thousand tools and an edit a minute would fill a disk."""
    cache: dict[str, bytes] = {}
    sizes = []
    for turn in range(3):
        texts = {"one.yaml": TOOL.replace(b"Say it", b"Say it %d times" % turn) % b"one"}
        fate({**shared_project(), **texts}, cache)
        sizes.append(sum(key.startswith("laid out ") for key in cache))
    assert sizes[0] == sizes[1] == sizes[2] > 0
