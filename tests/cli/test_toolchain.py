"""Only versions of ruff that give equal bytes format generated code."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from toolgen.project import UnableError
from toolgen.project.cache import toolchain

from .conftest import SPEC, Cli

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("version", ["0.16.0", "0.17.6", "unknown"])
def test_known_versions_of_ruff_are_used(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {**toolchain.versions(toolchain.TOOLCHAIN), "ruff": version}
    monkeypatch.setattr(toolchain, "versions", lambda names: {**dict.fromkeys(names, "1"), **given})
    assert toolchain.generator_id.__wrapped__()


@pytest.mark.parametrize("version", ["0.15.22", "0.18.0", "1.0.0"])
def test_other_versions_of_ruff_are_refused_by_name(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "versions", lambda names: {**dict.fromkeys(names, "1"), "ruff": version})
    with pytest.raises(UnableError, match=f"ruff {version} may format") as refused:
        toolchain.generator_id.__wrapped__()
    assert refused.value.hint == "pip install 'ruff>=0.16,<0.18'"


def test_output_of_a_newer_toolgen_is_not_overwritten(project: Cli) -> None:
    assert project("generate").code == 0
    manifest = project.root / "generated/toolgen.manifest.json"
    text = manifest.read_text()
    now = toolchain.versions(("toolgen",))["toolgen"]
    manifest.write_text(text.replace(f'"toolgen": "{now}"', '"toolgen": "10.0.0"'))
    project.spec("greet", SPEC.replace("NAME", "greet").replace("hello", "good bye"))
    before = project.tree()
    done = project("generate")
    assert done.code == 2
    assert f"toolgen 10.0.0 generated generated, and this is toolgen {now}" in done.err
    assert "remove generated/toolgen.manifest.json" in done.err
    assert project.tree() == before
    manifest.unlink()
    assert project("generate").code == 0


@pytest.mark.parametrize(
    ("older", "newer"), [("0.9.1", "0.10.0"), ("unknown", "0.1.0"), ("1.9", "1.10.0rc1")]
)
def test_versions_are_compared_by_their_numbers(older: str, newer: str) -> None:
    assert toolchain.numbers_of(older) < toolchain.numbers_of(newer)


def test_the_range_is_that_of_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    first, after = (".".join(map(str, each)) for each in toolchain.FORMATTERS)
    assert f"ruff>={first},<{after}" in extras["cli"]
