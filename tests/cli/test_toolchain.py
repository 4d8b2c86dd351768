"""Only versions of ruff that give equal bytes format generated code."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from toolgen.project import UnableError
from toolgen.project.cache import toolchain

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


def test_the_range_is_that_of_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    first, after = (".".join(map(str, each)) for each in toolchain.FORMATTERS)
    assert f"ruff>={first},<{after}" in extras["cli"]
