"""The workflow and hook of `init` install the toolgen that wrote them, or nothing."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
import yaml

from tests.end_to_end.project import Project

COMMIT = "0123456789abcdef0123456789abcdef01234567"
DIGEST = "ab" * 32
GIT = {"vcs": "git", "commit_id": COMMIT, "requested_revision": "main"}


def initialised(
    project: Project, origin: Any, folder: str = ""
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the workflow's steps and the hook that `init` writes if PEP 610's file has `origin`."""
    (project.root / ".git").mkdir()
    (project.root / "toolgen.toml").unlink()
    (project.root / folder).mkdir(parents=True, exist_ok=True)
    installed = project.root / "installed/toolgen-0.1.0.dist-info"  # found before the real one
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: toolgen\nVersion: 0.1.0\n")
    if origin is not None:
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (installed / "direct_url.json").write_text(text)
    code = (
        f"import sys; sys.path.insert(0, {str(installed.parent)!r}); "
        f"from toolgen.cli import main; sys.exit(main(['-C', {folder or '.'!r}, 'init']))"
    )
    done = project.python("-c", code)
    assert done.returncode == 0, done.stderr
    workflow = yaml.safe_load((project.root / ".github/workflows/toolgen.yml").read_text())
    hooks = yaml.safe_load((project.root / ".pre-commit-config.yaml").read_text())
    return workflow["jobs"]["check"]["steps"], hooks["repos"][0]["hooks"][0]


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        (
            {"url": "https://git.example.com/toolgen.git", "vcs_info": GIT},
            f"toolgen[cli] @ git+https://git.example.com/toolgen.git@{COMMIT}",
        ),
        (
            {"url": "https://me:word@git.example.com/toolgen", "vcs_info": GIT, "subdirectory": "python"},
            f"toolgen[cli] @ git+https://git.example.com/toolgen@{COMMIT}#subdirectory=python",
        ),
        (
            {"url": "ssh://git@git.example.com/toolgen", "vcs_info": GIT},
            f"toolgen[cli] @ git+ssh://git@git.example.com/toolgen@{COMMIT}",
        ),
    ],
)
def test_the_workflow_installs_the_same_commit(project: Project, origin: Any, wanted: str) -> None:
    steps, hook = initialised(project, origin)
    assert shlex.split(steps[2]["run"]) == ["python", "-m", "pip", "install", wanted]
    assert steps[3]["run"] == "toolgen check"
    assert hook["additional_dependencies"] == [wanted]


def test_a_copy_in_the_repository_is_installed(project: Project) -> None:
    (project.root / "vendor/toolgen").mkdir(parents=True)
    origin = {"url": (project.root / "vendor/toolgen").as_uri(), "dir_info": {"editable": True}}
    steps, hook = initialised(project, origin)
    assert steps[2]["run"] == "python -m pip install './vendor/toolgen[cli]'"
    assert hook["additional_dependencies"] == ["./vendor/toolgen[cli]"]


@pytest.mark.parametrize(
    "origin",
    [
        None,  # from an index, and PEP 610 does not record which one
        "{",
        {"url": "file:///elsewhere/toolgen", "dir_info": {}},
        {"url": "https://git.example.com/toolgen", "vcs_info": {"vcs": "git", "commit_id": "main"}},
        {"url": "https://git.example.com/$(touch canary)", "vcs_info": GIT},
        {"url": "https://example.com/toolgen.whl", "archive_info": {"hashes": {"sha256": DIGEST}}},
    ],
)
def test_nothing_is_installed_if_the_source_is_unknown(project: Project, origin: Any) -> None:
    steps, hook = initialised(project, origin)
    assert not [step for step in steps if "pip install" in step.get("run", "")]
    assert "exit 1" in steps[2]["run"]
    assert "say where toolgen is installed from" in steps[2]["run"]
    assert hook["language"] == "system"
    assert "additional_dependencies" not in hook


@pytest.mark.parametrize("folder", ["x'; touch canary; '", "#x: y", "{{ x }}"])
def test_the_name_of_a_folder_is_in_no_command(project: Project, folder: str) -> None:
    steps, hook = initialised(project, None, folder)
    text = (project.root / ".github/workflows/toolgen.yml").read_text()
    job = yaml.safe_load(text)["jobs"]["check"]
    assert job["strategy"]["matrix"] == {"project": [folder]}
    assert job["defaults"] == {"run": {"working-directory": "${{ matrix.project }}"}}
    assert not [step for step in steps if folder in step.get("run", "")]
    assert hook["entry"] == "toolgen check --all"


def test_a_folder_whose_name_is_an_expression_of_the_workflow_is_refused(project: Project) -> None:
    (project.root / ".git").mkdir()
    (project.root / "${{ x }}").mkdir()
    done = project.toolgen("-C", "${{ x }}", "init")
    assert done.returncode == 2
    assert "rename the folder" in done.stderr
