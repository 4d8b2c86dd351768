"""Without the extra `cli`, or with other versions of tools, commands say what to install."""

from __future__ import annotations

import subprocess

import pytest

from tests.end_to_end.project import Project
from tests.samples import sample

BLOCKER = """
import os, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in os.environ["BLOCKED"].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""
EXTRA = ["griffe", "jinja2", "markupsafe", "platformdirs", "ruff", "yaml"]
VERBS = [
    ("check",),
    ("generate",),
    ("new", "other", "--description", "Other."),
    ("check", "--format", "json"),
]


def without(project: Project, modules: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that cannot import `modules`."""
    project.write("site/sitecustomize.py", BLOCKER)
    path = str(project.root / "site")
    env = {"BLOCKED": ",".join(modules), "PYTHONPATH": path, "TOOLGEN_CACHE_DIR": "", "XDG_CACHE_HOME": path}
    return project.toolgen(*words, **env)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(each, marks=pytest.mark.slow if number else (), id=each[0])
        for number, each in enumerate(VERBS)
    ],
)
def test_without_the_extra_every_command_says_what_to_install(
    project: Project, words: tuple[str, ...]
) -> None:
    done = without(project, EXTRA, *words)
    assert done.returncode == 2, done.stderr
    said = done.stdout + done.stderr
    assert "toolgen's generator is not installed" in said
    assert "pip install 'toolgen[cli]'" in said
    assert "bug in toolgen" not in said


@pytest.mark.parametrize("module", sample([name for name in EXTRA if name != "griffe"], (0,)))
def test_each_missing_module_is_named(project: Project, module: str) -> None:
    done = without(project, [module], "generate")
    assert done.returncode == 2, done.stderr
    assert f"({module} is missing)" in done.stderr
    assert not (project.root / "generated").exists()


@pytest.mark.parametrize("version", sample(["0.1.0", "99.0.0"], (0,)))
def test_another_version_of_ruff_is_reported_with_the_required_one(project: Project, version: str) -> None:
    project.write("stubs/ruff/__init__.py", "")
    project.write(
        f"stubs/ruff-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: ruff\nVersion: {version}\n"
    )
    done = project.toolgen("generate", PYTHONPATH=str(project.root / "stubs"))
    assert done.returncode == 2, done.stderr
    assert f"ruff {version} may format generated code in another way" in done.stderr
    assert "pip install 'ruff>=" in done.stderr
    assert "bug in toolgen" not in done.stderr
