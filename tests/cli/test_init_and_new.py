"""init and new: from an empty folder to a tool that answers; existing files are kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml
from toolgen.cli.parser import COMMANDS

from tests.comparing.repository import git
from tests.preloaded import programs, python_command
from tests.samples import sample

from .conftest import SPEC, Cli
from .terminal import at_a_terminal

IS_INSTALLED = any(each.name == "toolgen" for each in entry_points(group="pytest11"))
PLUGIN = [] if IS_INSTALLED else ["-p", "toolgen.testing.pytest_plugin"]  # installed before there was one
PARAMS = ["--param", "supplier_id:integer", "--param", "note:string?:Free text", "--param", "tags:string[]"]


def test_init_new_generate_call(empty: Cli) -> None:
    assert empty.process("init").code == 0
    new = empty.process("new", "create_order", "--description", "Create: an order.", *PARAMS, "--destructive")
    assert new.code == 0
    assert new.out.split() == [
        "specs/create_order.yaml",
        "tools/create_order.py",
        "tests/test_create_order.py",
    ]
    assert 'message: "Create order {supplier_id}?"' in (empty.root / "specs/create_order.yaml").read_text()
    assert empty.process("generate").code == 0
    assert empty.process("check").code == 0
    given = json.dumps({"supplier_id": 1, "tags": ["a"]})

    unanswered = empty.process("call", "create_order", "--yes", "--input", given)
    assert (unanswered.code, unanswered.out) == (1, "")
    assert "Error [not_implemented]: create_order is not implemented yet." in unanswered.err


def test_from_nothing_to_an_answer(empty: Cli) -> None:
    new = empty.process("new", "greet", "--param", "name:string:Whom to greet", "--param", "times:integer?")
    assert (new.code, new.out.split()) == (0, ["specs/greet.yaml", "tools/greet.py", "tests/test_greet.py"])
    assert new.err.startswith("made a project, as `toolgen init` does: toolgen.toml and 8 other files\n")
    assert new.err.endswith("fill in `execute`, then toolgen call greet name=…\n")
    stub = empty.root / "tools/greet.py"
    work = 'return GreetResponse(message=f"Hello, {request.name}!")'
    stub.write_text(re.sub("raise NotImplementedToolError.*", work, stub.read_text()))
    answered = empty.process("call", "greet", "name=Ada", "--yes", "times=2")
    assert (answered.code, json.loads(answered.out)) == (0, {"message": "Hello, Ada!"})
    assert answered.err == "generated 15 files\n"
    assert empty("init").err.count("kept ") == 9, "the same files"


@pytest.mark.parametrize("words", [["new", "a b"], ["new", "a", "--param", "x"], ["new"], ["new", "--all"]])
def test_no_project_is_made_for_a_tool_that_is_refused(empty: Cli, words: list[str]) -> None:
    assert empty(*words).code == 2
    assert [path.name for path in empty.root.iterdir()] == [".git"]


@pytest.mark.parametrize("types", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_new_writes_is_good_code(empty: Cli, types: bool) -> None:
    empty("init")
    empty("new", "create_order", "--description", "Create.", *PARAMS, "--destructive")
    empty("new", "list-orders", "--description", "List.")
    for name, schema in (("chart", "output_schema: {type: object}\n"), ("print", "")):
        content = "content: [{type: image, min: 1}, {type: link}]\n"
        spec = f"name: {name}\ndescription: Show.\ninput_schema: {{type: object}}\n{schema}{content}"
        (empty.root / f"specs/{name}.yaml").write_text(spec)
        assert empty("new", name).code == 0
    assert empty("generate").code == 0
    assert ") -> ToolResult[ChartResponse, Image | Link]:" in (empty.root / "tools/chart.py").read_text()
    assert ") -> Image | Link:" in (empty.root / "tools/print.py").read_text()

    def run(*words: str) -> None:
        env = {**os.environ, "MYPYPATH": str(Path(__file__).parents[2] / "generator")}
        done = subprocess.run(
            [*python_command(env), "-m", *words],
            cwd=empty.root,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("ruff", "check", "--isolated", "--select=E,F,I,UP,B", "tools", "tests", "conftest.py")
    run("ruff", "format", "--isolated", "--check", "tools", "tests", "conftest.py")
    if types:
        run("mypy", "--strict", "--follow-imports=silent", "tools", "tests")
    run("pytest", "-q", "-p", "no:cacheprovider", "--basetemp=.pytest", *PLUGIN)


def test_an_initialised_project_works(empty: Cli) -> None:
    done = empty("init")
    assert done.code == 0
    assert "next: toolgen new" in done.err
    assert done.err.splitlines()[:9] == [
        "wrote toolgen.toml",
        "wrote specs/.toolgen.schema.json",
        "wrote tools/__init__.py",
        "wrote conftest.py",
        "wrote tests/toolgen_fixtures.py",
        "wrote .gitignore",
        "wrote .gitattributes",
        "wrote .github/workflows/toolgen.yml",
        "wrote .pre-commit-config.yaml",
    ]
    settings = tomllib.loads((empty.root / "toolgen.toml").read_text())
    assert settings == {
        "specs": "specs",
        "output": "generated",
        "implementations": "tools",
        "mcp": {"references": "inline"},
        "server": {"name": "project", "version": "0.1.0"},
    }
    workflow = yaml.safe_load((empty.root / ".github/workflows/toolgen.yml").read_text())
    verbs = [step["run"] for step in workflow["jobs"]["check"]["steps"][-5:]]
    assert verbs[:4] == ["toolgen check", "toolgen lint", "toolgen test --frozen", "toolgen budget"]
    assert verbs[4].endswith('toolgen breaking --against "origin/$GITHUB_BASE_REF"\n')
    (repo,) = yaml.safe_load((empty.root / ".pre-commit-config.yaml").read_text())["repos"]
    assert repo["hooks"][0]["entry"] == "toolgen check"
    schema = json.loads((empty.root / "specs/.toolgen.schema.json").read_text())
    assert schema == json.loads(empty("export", "schema").out)


def test_init_twice_changes_nothing(empty: Cli) -> None:
    empty("init")
    before = empty.tree(".")
    done = empty("init")
    assert (done.code, done.out) == (0, "")
    assert "kept toolgen.toml" in done.err
    assert empty.tree(".") == before
    assert json.loads(empty("init", "--format", "json").out)["written"] == []


def test_projects_of_one_repository_have_one_workflow(empty: Cli) -> None:
    git(empty.root, "init", "-q")
    for folder in ("a", "packages/b"):
        (empty.root / folder).mkdir(parents=True)
        done = empty("-C", str(empty.root / folder), "init")
        assert done.code == 0
    assert "wrote .github/workflows/toolgen.yml" in done.err
    workflow = empty.root / ".github/workflows/toolgen.yml"
    matrix = yaml.safe_load(workflow.read_text())["jobs"]["check"]["strategy"]["matrix"]
    assert matrix == {"project": ["a", "packages/b"]}
    assert "kept .github/workflows/toolgen.yml" in empty("-C", str(empty.root / "a"), "init").err
    workflow.write_text("mine")
    done = empty("-C", str(empty.root / "a"), "init")
    assert 'run toolgen there in "a", too' in done.err
    assert workflow.read_text() == "mine"


def test_check_all_checks_every_project_of_the_repository(empty: Cli) -> None:
    git(empty.root, "init", "-q")
    for folder in ("a", "packages/b", "ignored"):
        (empty.root / folder / "specs").mkdir(parents=True)
        (empty.root / folder / "toolgen.toml").touch()
        (empty.root / folder / "specs/greet.yaml").write_text(SPEC.replace("NAME", "greet"))
    (empty.root / ".gitignore").write_text("ignored/\n")
    (empty.root / "pyproject.toml").write_text("[project]\n")
    assert empty("-C", str(empty.root / "a"), "generate").code == 0
    done = empty("check", "--all")
    assert done.code == 1
    assert "a:\nclean: 1 tool" in done.err
    assert "packages/b generate" in done.out
    assert "ignored" not in done.out + done.err
    (empty.root / "a/toolgen.toml").write_text("spec = 1\n")
    done = empty("check", "--all")
    assert done.code == 2
    assert "unknown setting 'spec'" in done.err
    assert "packages/b generate" in done.out
    assert empty("check", "--all", "--format", "json").code == 2


def test_the_commands_of_the_workflow_pass_on_a_first_push_and_find_a_break(empty: Cli) -> None:
    empty("init")
    empty("new", "greet", "--description", "Greet a person.", "--param", "name:string")
    empty("generate")
    for words in (
        "init -q -b main",
        "add -A",
        "commit -qm first",
        "update-ref refs/remotes/origin/main main",
    ):
        git(empty.root, *words.split())
    path = f"{programs()}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "GITHUB_BASE_REF": "main"}
    workflow = yaml.safe_load((empty.root / ".github/workflows/toolgen.yml").read_text())

    def push(verb: str) -> int:
        (script,) = [
            step["run"]
            for step in workflow["jobs"]["check"]["steps"]
            if f"toolgen {verb}" in step.get("run", "")
        ]
        return subprocess.run(["bash", "-e", "-c", script], cwd=empty.root, env=env, check=False).returncode

    verbs = [verb for verb in ("check", "lint", "test", "breaking") if verb in COMMANDS]
    assert [push(verb) for verb in verbs] == [0] * len(verbs)
    spec = empty.root / "specs/greet.yaml"
    spec.write_text(spec.read_text().replace("name: greet", "name: salute"))
    assert push("check") == 1
    assert push("breaking") == 1
    env["GITHUB_BASE_REF"] = "none-yet"
    assert push("breaking") == 0


def test_init_only_appends_a_table_to_pyproject(empty: Cli) -> None:
    pyproject = empty.root / "pyproject.toml"
    pyproject.write_bytes(b'[project]\r\nname =    "x"   # mine\r\n')
    assert "added to pyproject.toml" in empty("init").err
    data = pyproject.read_bytes()
    assert data.startswith(b'[project]\r\nname =    "x"   # mine\r\n\r\n[tool.toolgen]\r\n')
    assert tomllib.loads(data.decode())["tool"]["toolgen"]["output"] == "generated"
    assert not (empty.root / "toolgen.toml").exists()
    empty("init")
    assert pyproject.read_bytes() == data


@pytest.mark.parametrize("name", ["", "9lives", "a b", "a/b", "../a", "é", "-x", "x" * 65, "a\n"])
def test_bad_names(project: Cli, name: str) -> None:
    before = project.tree(".")
    done = project("new", "--description", "x", "--", name)
    assert done.code == 2
    assert "at most 64" in done.err
    assert project.tree(".") == before


def test_new_writes_what_is_missing_for_specs_that_exist(project: Cli) -> None:
    project.spec("other")
    assert project("new", "greet").out.split()[1:] == ["work/greet.py", "tests/test_greet.py"]
    (project.root / "work/greet.py").write_text("# mine\n")
    done = project("new", "--all")
    assert (done.code, done.out.split()) == (0, ["work/other.py", "tests/test_other.py"])
    assert (project.root / "work/greet.py").read_text() == "# mine\n"
    assert "every tool has an implementation" in project("new", "--all").err


@pytest.mark.parametrize("there", ["specs/order.yaml", "tests/test_order.py"])
def test_new_keeps_existing_files(project: Cli, there: str) -> None:
    path = project.root / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("# mine\n" if there.endswith(".py") else "name: x\n")
    before = project.tree(".")
    done = project("new", "order", "--description", "x")
    assert done.code == 2
    assert f"{there} exists already" in done.err
    assert project.tree(".") == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x:strin", "the types are"),
        ("x y:string", "name:type"),
        ("a:integer", "twice"),
    ],
)
def test_bad_parameters(project: Cli, text: str, said: str) -> None:
    done = project("new", "order", "--description", "x", "--param", "a:string", "--param", text)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    "description",
    [
        "{{ 7 * 7 }} {% raw %}",
        '"""; import os',
        "ends with \\",
    ],
)
def test_text_never_becomes_code(project: Cli, description: str) -> None:
    done = project("new", "order", "--description", description, "--param", f"no:string:{description}")
    assert done.code == 0, done.err
    spec = yaml.safe_load((project.root / "specs/order.yaml").read_text())
    assert spec["description"] == description.strip()
    assert spec["input_schema"]["properties"]["no"]["description"] == description.strip()
    assert project("generate").code == 0


@pytest.mark.parametrize(
    ("answer", "code"),
    sample([("y\n", 0), ("n\n", 1), ("\n", 1), ("\x03", 130), ("\x04", 130)], (0, 1)),
)
def test_confirmed_at_a_terminal(project: Cli, answer: str, code: int) -> None:
    project("new", "order", "--description", "Order.", "--destructive")
    project("generate")
    stub = project.root / "work/order.py"
    stub.write_text(
        stub.read_text().replace("raise NotImplementedToolError(", "return OrderResponse(message=")
    )
    said, ended = at_a_terminal(project, ["call", "order"], [("Order? [y/N]", answer)])
    assert ended == code, said
    assert ("declined" in said) == (code == 1)
