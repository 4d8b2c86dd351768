"""`--format` of the commands that find things: one document on stdout, with the same exit codes as text."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from .conftest import Cli

LOOSER = "text: {type: string}"


@pytest.fixture
def generated(project: Cli) -> Cli:
    project.spec("greet")
    assert project("generate").code == 0
    return project


def test_check_points_at_each_outdated_file(generated: Cli) -> None:
    assert generated("check", "--format", "github") == (0, "", "")
    generated.spec("greet", generated.spec("greet").read_text().replace("Say hello", "Say good day"))
    done = generated("check", "--format", "github")
    assert done.code == 1
    assert "::error file=generated/definitions/greet.py,line=1,col=1," in done.out
    assert "title=toolgen%3A outdated-output::the specs changed" in done.out


def test_breaking_is_shown_beside_the_line_that_breaks(generated: Cli) -> None:
    old = generated.spec("greet").read_text()
    (generated.root / "v1").mkdir()
    (generated.root / "v1/greet.yaml").write_text(old)
    generated.spec("greet", old.replace("minLength: 1", "minLength: 2"))
    done = generated("breaking", "--against", "./v1", "--format", "github")
    assert done.code == 1
    assert done.out.startswith("::error file=specs/greet.yaml,line=8,")
    assert "witness%3A" not in done.out
    assert "%0Awitness: " in done.out


@pytest.mark.parametrize("command", [("check",), ("test",)])
@pytest.mark.parametrize("form", ["github", "gitlab", "junit", "markdown", "sarif"])
def test_an_error_in_a_spec_is_a_document_too(generated: Cli, command: tuple[str, ...], form: str) -> None:
    generated.spec("broken", "name: [\n")
    done = generated(*command, "--format", form)
    assert done.code == 2
    if form in ("gitlab", "sarif"):
        assert "specs/broken.yaml" in json.dumps(json.loads(done.out))
    elif form == "junit":
        assert ElementTree.fromstring(done.out).find(".//failure") is not None
    else:
        assert "specs/broken.yaml" in done.out


def test_test_has_a_case_for_each_tool(generated: Cli) -> None:
    done = generated("test", "--format", "junit")
    assert ElementTree.fromstring(done.out)[0].get("name") == "toolgen test"


def test_two_formats_are_refused(generated: Cli) -> None:
    done = generated("check", "--format", "json", "--format", "github")
    assert done.code == 2
    assert "--format is given twice" in done.err
