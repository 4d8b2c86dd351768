"""A project's own target: options in specs, a dialect, limits and `export`, as for built-in targets."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import SPEC, Cli

TEMPLATE = "{% for tool in model.tools %}{{ tool.published.acme.name }}\n{% endfor %}"


@pytest.fixture
def acme(project: Cli) -> Cli:
    """A project with the target `acme`, whose models are OpenAI's."""
    (project.root / "toolgen.toml").write_text('templates = "mine"\ntargets = ["acme", "mcp"]\n')
    (project.root / "mine/acme").mkdir(parents=True)
    (project.root / "mine/acme/names.txt.jinja").write_text(TEMPLATE)
    define(project, "dialect: openai\ntool_name: '[a-z_]{1,20}'\nmax_description: 40\nmax_tools: 1\n")
    return project


def define(project: Cli, text: str) -> None:
    (project.root / "mine/acme/target.yaml").write_text(text)


def write_greet(project: Cli, more: str) -> None:
    project.spec("greet", SPEC.replace("NAME", "greet") + more)


def test_a_spec_names_the_tool_for_it(acme: Cli) -> None:
    write_greet(acme, "targets: {acme: {name: say_hello}}\n")
    assert acme("generate").code == 0
    assert acme.tree()["names.txt"] == "say_hello\n"


@pytest.mark.parametrize(
    ("options", "fault", "hint"),
    [
        ("{acme: {nam: x}}", "unknown field 'nam'", "did you mean 'name'?"),
        ("{acne: {name: x}}", "unknown field 'acne'", "did you mean 'acme'?"),
        ("{python: {name: x}}", "unknown field 'python'", "known here: mcp, openai"),
    ],
)
def test_what_a_spec_cannot_say_of_it_is_refused(acme: Cli, options: str, fault: str, hint: str) -> None:
    write_greet(acme, f"targets: {options}\n")
    done = acme("generate")
    assert done.code == 2
    assert f": error[{'wrong-type' if 'text' in fault else 'unknown-field'}] {fault}" in done.err
    assert hint in done.err
    assert done.err.count("error[") == 1


def test_its_limits_are_warnings_and_its_names_errors(acme: Cli) -> None:
    acme.spec("other")
    write_greet(acme, f"returns: {'A greeting. ' * 4}\n")
    done = acme("lint")
    assert done.code == 0
    assert "acme: some models refuse descriptions of more than 40 characters" in done.out
    assert "acme: one request takes 1 tools" in done.out
    write_greet(acme, "targets: {acme: {name: Hello}}\n")
    done = acme("generate")
    assert done.code == 2
    assert "error[target-name] acme does not take 'Hello' as the name of a tool" in done.err


def test_export_prints_what_it_publishes(acme: Cli) -> None:
    write_greet(acme, "targets: {acme: {name: say_hello, strict: true}}\n")
    done = acme("export", "acme")
    assert done.code == 0
    (tool,) = json.loads(done.out)
    assert list(tool) == ["name", "description", "input_schema", "strict"]
    assert (tool["name"], tool["description"]) == ("say_hello", "Say hello to somebody.")
    assert tool["input_schema"]["required"] == ["who"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("dialekt: openai\n", "unknown field 'dialekt'"),
        ("tool_name: '['\n", "'tool_name' must be a regular expression"),
        ("max_tools: many\n", "'max_tools' must be a number of tools"),
    ],
)
def test_a_definition_that_means_nothing_is_refused(acme: Cli, text: str, fault: str) -> None:
    define(acme, text)
    done = acme("generate")
    assert done.code == 2
    assert f"error[bad-target] acme/target.yaml: {fault}" in done.err
