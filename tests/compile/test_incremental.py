"""Incremental compilation gives the files, warnings and faults that compiling all specs at once gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from toolgen.compile.compiled_specs import decode_code
from toolgen.compile.incremental import CompileBatch, Encoded, WorkerPool, in_this_process
from toolgen.compile.output_changes import find_changes
from toolgen.compile.pipeline import compile_project, compile_specs, link
from toolgen.compile.printing.render import render_index
from toolgen.language.changes import Manifest, Tree
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import Package, PackageSettings, Tool
from toolgen.language.targets.definition import Target

from tests.models.helpers import TARGETS

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
SETTINGS = PackageSettings(implementations="work")
Texts = dict[str, bytes]


def texts_below(folder: Path) -> Texts:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))}


PROJECTS = {
    "gallery": ROOT / "specs",
    **{case.parent.name: case for case in sorted(CASES.glob("accepted/*/specs"))},
}


def one_by_one(compile_batch: CompileBatch, paths: Sequence[str]) -> Iterator[Encoded]:
    """A worker pool that works backwards, one spec at a time."""
    yield from (compile_batch([path]) for path in reversed(paths))


def outcome(
    texts: Texts, cache: dict[str, bytes], pool: WorkerPool = in_this_process
) -> tuple[object, object]:
    try:
        output = compile_project(texts, TARGETS, SETTINGS, cache, pool)
    except SpecErrors as errors:
        return "refused", errors.diagnostics
    return dict(output.tree), output.warnings


def compiled_at_once(texts: Texts) -> tuple[object, object]:
    """The outcome without cache and worker pool."""
    try:
        package = link(compile_specs(texts, TARGETS, SETTINGS), TARGETS, SETTINGS, {})
    except SpecErrors as errors:
        return "refused", errors.diagnostics
    return dict(package.tree), package.warnings


@pytest.mark.parametrize("project", PROJECTS)
def test_the_output_is_the_same_whatever_is_cached_and_whoever_compiles(project: str) -> None:
    texts = texts_below(PROJECTS[project])
    expected = compiled_at_once(texts)
    cache: dict[str, bytes] = {}
    assert outcome(texts, cache, one_by_one) == expected
    assert outcome(texts, cache) == expected, "from the cache alone"
    for path in list(texts)[:2]:
        edited = {**texts, path: texts[path].replace(b"description: ", b"description: Edited. ", 1)}
        assert outcome(edited, cache) == compiled_at_once(edited), path
        new: dict[str, bytes] = {}
        outcome({other: text for other, text in texts.items() if other != path}, new)
        assert outcome(texts, new) == expected, path


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


def test_a_changed_shared_file_recompiles_the_tools_that_use_it_and_no_other() -> None:
    cache: dict[str, bytes] = {}
    compiled_paths: list[str] = []

    def pool(compile_batch: CompileBatch, paths: Sequence[str]) -> Iterator[Encoded]:
        compiled_paths.extend(paths)
        yield compile_batch(paths)

    assert outcome(shared_project(), cache, pool) == compiled_at_once(shared_project())
    shared = ["shared/common.yaml", "shared/deep.yaml"]
    assert sorted(compiled_paths) == ["one.yaml", *shared, "three.yaml", "two.yaml"]
    compiled_paths.clear()
    changed = shared_project(b"integer")
    assert outcome(changed, cache, pool) == compiled_at_once(changed)
    assert sorted(compiled_paths) == ["one.yaml", *shared, "two.yaml"]
    compiled_paths.clear()
    assert outcome(changed, cache, pool) == compiled_at_once(changed)
    assert compiled_paths == []


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"null", b'{"file": 1}', b"\xff"])
def test_a_damaged_cache_entry_is_compiled_again(damage: bytes) -> None:
    cache: dict[str, bytes] = {}
    expected = outcome(shared_project(), cache)
    assert outcome(shared_project(), dict.fromkeys(cache, damage)) == expected


def test_the_files_of_all_tools_are_printed_again_when_a_name_in_them_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed: list[str] = []

    def recorded(package: Package, targets: Sequence[Target]) -> Tree:
        printed.append(package.package)
        return render_index(package, targets)

    cache: dict[str, bytes] = {}
    texts = shared_project()
    monkeypatch.setattr("toolgen.compile.pipeline.render_index", recorded)
    outcome(texts, cache)
    edited = {path: text.replace(b"Say it", b"Say it again") for path, text in texts.items()}
    outcome(edited, cache)
    assert len(printed) == 1
    renamed = {path: text.replace(b"name: two", b"name: second") for path, text in texts.items()}
    assert outcome(renamed, cache) == compiled_at_once(renamed)
    assert len(printed) == 3, "once from the cache, once without"


def test_after_an_edit_only_the_code_of_the_edited_tool_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()

    def recorded(data: bytes) -> tuple[Tool | None, Tree]:
        tool, files = decode_code(data)
        read.update(files)
        return tool, files

    cache: dict[str, bytes] = {}
    texts = shared_project()
    before = compile_project(texts, TARGETS, SETTINGS, cache).tree
    on_disk = {path: text.encode() for path, text in before.items()}
    monkeypatch.setattr("toolgen.compile.incremental.decode_code", recorded)
    texts["two.yaml"] = texts["two.yaml"].replace(b"Say it", b"Say it again")
    tree = compile_project(texts, TARGETS, SETTINGS, cache).tree
    changes = find_changes(tree, on_disk, Manifest())
    assert [change.path for change in changes] == ["definitions/two.py", "tools/two.py"]
    assert read == {"definitions/two.py", "models/two.py", "tools/two.py"}
