"""`--format` of the commands that find things: one document on stdout, with the same exit codes as text."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from .conftest import SPEC, Cli, is_valid_report


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


@pytest.mark.parametrize(
    "words", [("check",), ("lint",), ("breaking", "--against", "./v1"), ("test",), ("budget",)]
)
def test_json_is_as_the_published_schema_says(generated: Cli, words: tuple[str, ...]) -> None:
    old = generated.spec("greet").read_text()
    (generated.root / "v1").mkdir()
    (generated.root / "v1/greet.yaml").write_text(old)
    generated.spec("greet", old.replace("minLength: 1", "minLength: 2"))
    assert not is_valid_report({**json.loads(generated(*words, "--format", "json").out), "another": 1})
    generated.spec("broken", "name: [\n")
    assert json.loads(generated(*words, "--format", "json").out)["diagnostics"][0]["code"] == "yaml-syntax"


FINDING = "  $defs: {Unused: {type: string}}\n"
FORMS = ["github", "gitlab", "junit", "sarif", "markdown"]


def files_in(form: str, text: str) -> set[str]:
    """Return the files that a report names, without the places in them."""
    if form == "github":
        return set(re.findall(r"file=([^,]*)", text))
    if form == "gitlab":
        return {each["location"]["path"] for each in json.loads(text)}
    if form == "sarif":
        results = json.loads(text)["runs"][0]["results"]
        places = [each["locations"][0]["physicalLocation"] for each in results]
        return {each["artifactLocation"]["uri"] for each in places}
    found = re.findall(r"[\w/]+\.\w+(?=:\d+:\d+)", text)
    return set(found)


@pytest.fixture
def inner(empty: Cli, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A project in a folder of a repository."""
    project = Cli(empty.root / "tools/shop", capsys)
    project.spec("greet", SPEC.replace("NAME", "greet").replace("output_schema", FINDING + "output_schema"))
    (project.root / "toolgen.toml").write_text('[lint.rules]\nunused-definition = "error"\n')
    return project


@pytest.mark.parametrize("form", FORMS)
def test_files_are_named_as_code_hosts_know_them(inner: Cli, form: str) -> None:
    assert files_in(form, inner("lint", "--format", form).out) == {"tools/shop/specs/greet.yaml"}
    assert "tools/shop/generated/catalog.py" in files_in(form, inner("check", "--format", form).out)
    inner.spec("broken", "name: [\n")
    assert files_in(form, inner("check", "--format", form).out) == {"tools/shop/specs/broken.yaml"}
