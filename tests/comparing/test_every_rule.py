"""A branch of a git repository with a planted break of every rule: `toolgen breaking` finds all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from toolgen.changes.rule import SettingRule
from toolgen.changes.table import CODES, RULES

from tests.cli.conftest import Cli
from tests.comparing.repository import Repository
from tests.compat.cases import CASES, TODAY

POLICY = """\
[breaking]
level = "info"
versions = "semver"
accept = "breaking.toml"
"""
OLD_SETTINGS = """\
targets = ["mcp", "openai"]
[server]
name = "shop"
instructions = "Ask before you order."
"""
NEW_SETTINGS = """\
targets = ["anthropic", "mcp"]
output = "tools/generated"
coerce = false
[mcp]
output_schema = false
[server]
name = "store"
instructions = "Order at once."
"""


def prefix(case: Path) -> str:
    return case.name.replace("-", "_")


def planted(case: Path, version: str) -> Iterator[tuple[str, str]]:
    """Yield the specs of a version of a case, each tool with a name and a property of its own."""
    folder = case / version
    for file in sorted(folder.glob("*.yaml")) if folder.is_dir() else [case / f"{version}.yaml"]:
        text = re.sub(r"^name: ", f"name: {prefix(case)}_", file.read_text(), flags=re.MULTILINE)
        text = re.sub(r"^aliases: \[", f"aliases: [{prefix(case)}_", text, flags=re.MULTILINE)
        text = re.sub(
            r"^  properties:$",
            f"  properties:\n    {prefix(case)}: {{type: boolean}}",
            text,
            flags=re.MULTILINE,
        )
        yield f"specs/{prefix(case)}/{file.name}", text


def specs(version: str) -> dict[str, str]:
    return {path: text for code in CODES for path, text in planted(CASES / code, version)}


def acceptances() -> str:
    return "\n".join(
        file.read_text().replace('tool = "', f'tool = "{prefix(file.parent)}_')
        for file in sorted(CASES.glob("*/breaking.toml"))
    )


@pytest.fixture
def branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with the old versions of all cases on `main`; checked out is a branch with the new ones."""
    noon = datetime.combine(TODAY, time(12), tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(noon.timestamp())))
    repository = Repository.create(
        tmp_path / "planted", {"toolgen.toml": OLD_SETTINGS + POLICY, **specs("old")}
    )
    repository.git("checkout", "-q", "-b", "planted")
    for path in specs("old").keys() - specs("new").keys():
        (repository.root / path).unlink()
    repository.write(
        {
            "toolgen.toml": NEW_SETTINGS + POLICY,
            **specs("new"),
            "breaking.toml": acceptances(),
        }
    )
    repository.commit()
    return repository


def own(tool: str, code: str) -> bool:
    """True for a tool of the case of the rule, and for the settings, which all cases share."""
    return tool.startswith(prefix(CASES / code)) if tool else isinstance(RULES[code], SettingRule)


def test_breaking_finds_the_planted_break_of_every_rule(
    branch: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Cli(branch.root, capsys)("breaking", "--against", "main", "--format", "json")
    found = {(each["rule"], each["tool"] or "") for each in json.loads(done.out)["findings"]}
    missed = [code for code in CODES if not any(rule == code and own(tool, code) for rule, tool in found)]
    assert done.code == 1
    assert missed == []
