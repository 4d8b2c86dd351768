"""Expensive schemas end in a diagnostic or within 10 s of processor time and 512 MB of memory."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.samples import sample

from .changes import CHANGES
from .documents import to_json, write_project, write_source
from .families import FAMILIES
from .gzip_server import answering
from .limited_process import MEGABYTES, SECONDS, Done, toolgen

VERBS = ("generate", "check", "breaking", "mcp", "openai", "openapi")
EVERY = [(name, verb) for name in FAMILIES for verb in VERBS]
QUICK = [(name, "generate") for name in FAMILIES if FAMILIES[name].quick] + [
    ("any_of_diamond", "mcp"),
    ("all_of_diamond", "openai"),
    pytest.param("one_of_diamond", "openapi", marks=pytest.mark.slow),
]


def assert_bounded(done: Done) -> None:
    """Assert that a command ends in time, within its memory, and without a bug."""
    assert done.code in (0, 1, 2), (done.code, done.err[:2000])
    assert done.seconds < SECONDS, done.seconds
    assert done.megabytes < MEGABYTES, done.megabytes


def assert_refused(done: Done) -> None:
    """Assert that a command ends with a diagnostic, in time and within its memory."""
    assert_bounded(done)
    assert done.code == 2, done.err[:2000]
    assert "error[" in done.err


def explode(folder: Path, name: str, verb: str) -> None:
    family = FAMILIES[name]
    if verb in ("generate", "check"):
        write_project(folder, family.make())
        done = toolgen(verb, folder=folder)
    elif verb == "breaking":
        write_project(folder, family.make())
        (folder / "before").mkdir()
        write_project(folder / "before", {**family.make(), "minProperties": 1})
        done = toolgen("breaking", "--against", "before", folder=folder)
    else:
        write_project(folder)
        write_source(folder, verb, family.make())
        done = toolgen("import", verb, "source.json", folder=folder)
    if family.refused and not (verb == "openapi" and name in OPENAPI_TAKES):
        assert_refused(done)
        assert verb != "generate" or "specs/bomb.yaml:1:" in done.err
    else:
        assert_bounded(done)


OPENAPI_TAKES = frozenset(("dynamic_ref_diamond", "ref_chain"))
"""Families that are not expensive as OpenAPI documents, for example because references are resolved."""


@pytest.mark.parametrize(("name", "verb"), QUICK)
def test_bomb(tmp_path: Path, name: str, verb: str) -> None:
    explode(tmp_path, name, verb)


@pytest.mark.bombs
@pytest.mark.parametrize(("name", "verb"), [each for each in EVERY if each not in QUICK])
def test_every_bomb(tmp_path: Path, name: str, verb: str) -> None:
    explode(tmp_path, name, verb)


CHANGE_MARKS: dict[str, Any] = {
    "replaced_enum": (),
    "diamond_of_required_properties": (),
    "renamed_properties": pytest.mark.slow,
}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=CHANGE_MARKS.get(each, pytest.mark.bombs)) for each in CHANGES]
)
def test_a_change_that_is_expensive_to_compare_is_reported(tmp_path: Path, name: str) -> None:
    old, new = CHANGES[name]()
    write_project(tmp_path, new)
    (tmp_path / "before").mkdir()
    write_project(tmp_path / "before", old)
    done = toolgen("breaking", "--against", "before", folder=tmp_path)
    assert_bounded(done)
    assert done.code == 1, done.err[:2000]
    assert "error[" in done.out or "warning[unanalysed]" in done.out
    assert len(done.out) < 20_000_000


@pytest.mark.slow
def test_many_expensive_changes_of_one_project_are_bounded_together(tmp_path: Path) -> None:
    """A tool whose change is ordinary is compared all the same, even after all the others."""
    for name, first, kind in (("before", 0, "string"), ("after", 100, "integer")):
        (tmp_path / name).mkdir()
        write_project(tmp_path / name)
        bomb = {"oneOf": [{"const": number} for number in range(first, first + 200)]}
        inputs = {f"bomb_{number}": {"type": "object", "properties": {"x": bomb}} for number in range(40)}
        inputs["ordinary"] = {"type": "object", "properties": {"name": {"type": kind}}}
        for tool, schema in inputs.items():
            spec = {"name": tool, "description": "A tool.", "input_schema": schema}
            (tmp_path / name / "specs" / f"{tool}.yaml").write_text(to_json(spec))
    done = toolgen("breaking", "--against", "../before", folder=tmp_path / "after")
    assert_bounded(done)
    assert done.code == 1, done.err[:2000]
    assert "all comparisons of this run have taken as much work as they may" in done.out
    assert "specs/ordinary.yaml" in done.out


DEEP_YAML = {
    "flow lists": "[" * 20_000 + "]" * 20_000,
    "flow mappings": "{a: " * 20_000 + "1" + "}" * 20_000,
    "block lists": "- " * 20_000 + "1",
    "block mappings": "\n" + "".join(" " * (depth + 2) + "a:\n" for depth in range(2_000)),
}


@pytest.mark.parametrize("kind", sample(DEEP_YAML, (0, 3)))
def test_deep_yaml_is_refused(tmp_path: Path, kind: str) -> None:
    write_project(tmp_path)
    text = f"name: bomb\ndescription: A tool.\nmeta:\n  x: {DEEP_YAML[kind]}\n"
    if kind == "block lists":
        text = f"name: bomb\ndescription: A tool.\nmeta:\n  x:\n    {DEEP_YAML[kind]}\n"
    (tmp_path / "specs/bomb.yaml").write_text(text)
    assert_refused(toolgen("generate", folder=tmp_path))


@pytest.mark.parametrize("verb", sample(["generate", "check"], (0,)))
@pytest.mark.parametrize("kind", ["pipe", "socket", "folder"])
def test_pipes_sockets_and_devices_are_refused_as_specs(tmp_path: Path, verb: str, kind: str) -> None:
    write_project(tmp_path, {"type": "object"})
    odd = tmp_path / "specs/odd.yaml"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "socket":
        _socket(odd)
    else:
        odd.mkdir()
    done = toolgen(verb, folder=tmp_path)
    assert_bounded(done)
    assert kind == "folder" or done.code == 2


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # names of sockets are limited in length
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("kind", sample(["mcp", "openai", "openapi"], (0,)))
def test_a_pipe_is_refused_as_a_source(tmp_path: Path, kind: str) -> None:
    write_project(tmp_path)
    os.mkfifo(tmp_path / "source.json")
    assert_refused(toolgen("import", kind, "source.json", folder=tmp_path))


@pytest.mark.parametrize("kind", sample(["mcp", "openai", "openapi"], (2,)))
def test_deep_json_is_refused_as_a_source(tmp_path: Path, kind: str) -> None:
    write_project(tmp_path)
    (tmp_path / "source.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    assert_refused(toolgen("import", kind, "source.json", folder=tmp_path))


@pytest.mark.slow
def test_a_gzipped_document_is_limited_after_decompression(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "source.json").write_bytes(gzip.compress(b" " * 600_000_000, 1))
    assert_refused(toolgen("import", "openapi", "source.json", folder=tmp_path))


@pytest.mark.parametrize("kind", sample(["mcp", "openapi"], (1,)))
def test_a_gzipped_answer_is_limited_after_decompression(tmp_path: Path, kind: str) -> None:
    write_project(tmp_path)
    with answering(gzip.compress(b" " * 300_000_000, 6)) as url:
        assert_refused(toolgen("import", kind, url, folder=tmp_path))
