"""`toolgen changelog`: what changed between two commits, for people."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from toolgen.changes.comparing.history import Release
from toolgen.changes.edit_space import Direction
from toolgen.changes.finding import Category, Finding, Level, Places, Witness
from toolgen.cli import main
from toolgen.cli.commands.changelog import as_markdown

from .repository import Repository, spec


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository in which a tool changed, then another was added, and then one removed in the work tree."""
    strict = spec("a", "version: 1.0.0\n").replace("{type: string}", "{type: string, maxLength: 9}")
    files = {
        "toolgen.toml": "",
        "specs/a.yaml": strict,
        "specs/b.yaml": spec("b").replace("who", "place"),
    }
    repository = Repository.create(tmp_path_factory.mktemp("changelog") / "r", files)
    repository.git("tag", "v1")
    repository.write({"specs/a.yaml": strict.replace("9", "8").replace("1.0.0", "2.0.0")})
    repository.commit("v2")
    repository.write({"specs/c.yaml": spec("c")})
    repository.commit()
    (repository.root / "specs/b.yaml").unlink()
    return repository


def changelog(repository: Repository, *words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["-C", str(repository.root), "changelog", *words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_section_for_each_tag(made: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    expected = Path(__file__).with_name("changelog.md").read_text("utf-8")
    assert changelog(made, "v1", capsys=capsys) == expected.replace("AAAAAAAAA", witness(made, capsys))


def witness(made: Repository, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the value that the comparison found: which one it is, is not the matter here."""
    data = json.loads(changelog(made, "v1..v2", "--format", "json", capsys=capsys))
    value: str = data["releases"][0]["findings"][0]["witness"]["value"]["who"]
    assert len(value) == 9
    return value


@pytest.mark.parametrize("words", ["v1...v2", "..v2", "v1..nothing", "-v1..v2"])
def test_ranges_that_are_refused(made: Repository, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(made.root), "changelog", words]) == 2
    assert "error[" in capsys.readouterr().err


def finding(message: str, *, tool: str = "order", **more: object) -> Finding:
    return Finding(
        code="limit-tightened",
        category=Category.WIRE,
        level=Level.ERROR,
        direction=Direction.REQUEST,
        tool=tool,
        pointer="/input_schema",
        message=message,
        hint="",
        places=Places(None, None),
        **more,  # type: ignore[arg-type]
    )


def test_an_accepted_break_is_among_the_breaking_changes() -> None:
    added = finding("required 'a' added", witness=Witness({}, "old"), accepted="nobody calls it")
    text = as_markdown("v1", [Release("v2", "", (replace(added, code="required-property-added"),), {})])
    assert (
        "### Breaking\n\n- `order`: request: required 'a' added; `{}` was valid (accepted: nobody calls it)\n"
        in text
    )
    assert "### Added" not in text


def test_texts_of_specs_are_shown_as_they_are() -> None:
    hostile = "it *is* <b>bold</b> | [a](https://x) @all #12 & `x`\n\n# no heading\x1b"
    value = Witness({"a": "``` | @all"}, "old")
    release = Release("v<1>", "", (finding(hostile, witness=value),), {})
    text = as_markdown("a`b", [release])
    assert "## v\\<1\\>\n" in text
    assert (
        "request: it \\*is\\* \\<b\\>bold\\</b\\> \\| \\[a\\](https:<!-- -->//x) @<!-- -->all #<!-- -->12 &amp; \\`x\\` # no heading\\\\u001b"
        in text
    )
    assert '```` {"a": "``` | @all"} ````' in text
    assert "\x1b" not in text
    assert as_markdown("a`b", []).endswith("No tool changed: `` a`b ``.\n")
