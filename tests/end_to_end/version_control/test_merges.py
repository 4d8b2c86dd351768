"""Two branches that add tools merge without conflicts, and `generate` rebuilds what a merge left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project

from .repository import Repository

NOTE_SPEC = Path(__file__).with_name("note.yaml").read_text("utf-8")
CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def _add(repository: Repository, branch: str, *names: str) -> None:
    """Add tools on a new branch from `main`, generate and commit."""
    repository.git("switch", "-q", "-c", branch, "main")
    for name in names:
        repository.write(f"specs/{name}.yaml", ECHO_SPEC.replace("name: echo", f"name: {name}"))
    _generate(repository)
    repository.commit(f"add {' and '.join(names)}")


def _generate(repository: Repository) -> str:
    done = repository.project.toolgen("generate")
    assert done.returncode == 0, done.stderr
    return done.stderr


def _assert_up_to_date(repository: Repository, *names: str) -> None:
    done = repository.project.toolgen("check")
    assert (done.returncode, done.stdout) == (0, "")
    code = "import generated.catalog as c; print(*c.TOOLS)"
    assert repository.project.python("-c", code).stdout.split() == sorted(names)


@pytest.fixture
def repository(project: Project) -> Repository:
    """A generated project with two tools, committed with the attributes that `init` writes."""
    project.add_tool("zoom", ECHO_SPEC.replace("name: echo", "name: zoom"))
    assert project.toolgen("init").returncode == 0
    project.generate()
    return Repository.of(project)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["fetch"], ["find"]),
        (["fetch_something_with_a_long_name", "gain"], ["find_something_with_a_long_name", "give"]),
    ],
)
def test_branches_that_add_neighbouring_tools_merge(
    repository: Repository, ours: list[str], theirs: list[str]
) -> None:
    _add(repository, "ours", *ours)
    _add(repository, "theirs", *theirs)
    repository.git("merge", "-q", "--no-edit", "ours")
    assert "EDITED" not in _generate(repository)
    _assert_up_to_date(repository, "echo", "zoom", *ours, *theirs)


def test_check_after_a_merge_says_what_to_do(repository: Repository) -> None:
    _add(repository, "ours", "fetch")
    _add(repository, "theirs", "find")
    repository.git("merge", "-q", "--no-edit", "ours")
    done = repository.project.toolgen("check")
    assert done.returncode == 1
    assert "EDITED" not in done.stdout
    assert done.stdout.endswith("to fix it: toolgen generate\n")


def test_a_branch_that_removes_a_tool_merges_with_one_that_adds_one(repository: Repository) -> None:
    _add(repository, "ours", "find")
    repository.git("switch", "-q", "-c", "theirs", "main")
    (repository.root / "specs/echo.yaml").unlink()
    _generate(repository)
    repository.commit("remove echo")
    repository.git("merge", "-q", "--no-edit", "ours")
    assert "EDITED" not in _generate(repository)
    _assert_up_to_date(repository, "find", "zoom")
    assert not (repository.root / "generated/models/echo.py").exists()


def test_conflicts_in_generated_files_are_rebuilt(repository: Repository) -> None:
    """One spec changed on both branches, in different lines: only what is generated from it conflicts."""
    spec = repository.write("specs/note.yaml", NOTE_SPEC)
    _generate(repository)
    repository.commit("note")
    for branch, before, after in (("ours", "100", "200"), ("theirs", "The note.", "What to note.")):
        repository.git("switch", "-q", "-c", branch, "main")
        spec.write_text(NOTE_SPEC.replace(before, after))
        _generate(repository)
        repository.commit(branch)
    _conflicting_merge(repository)
    assert "EDITED" not in _generate(repository)
    _assert_up_to_date(repository, "echo", "note", "zoom")


def test_without_the_attributes_conflicts_are_rebuilt_too(repository: Repository) -> None:
    (repository.root / ".gitattributes").unlink()
    repository.commit("no attributes")
    _add(repository, "ours", "fetch")
    _add(repository, "theirs", "find")
    _conflicting_merge(repository)
    assert CONFLICT.search((repository.root / "generated/toolgen.manifest.json").read_text())
    assert "EDITED" not in _generate(repository)
    _assert_up_to_date(repository, "echo", "fetch", "find", "zoom")


def _conflicting_merge(repository: Repository) -> None:
    """Merge the branch `ours`; generated files conflict, and are left with markers."""
    repository.git("merge", "-q", "--no-edit", "ours", fails=True)
    files = (repository.root / "generated").rglob("*.*")
    assert any(CONFLICT.search(path.read_text()) for path in files if path.suffix != ".pyc")


def test_a_file_edited_by_hand_is_still_reported_after_a_merge(repository: Repository) -> None:
    _add(repository, "ours", "fetch")
    _add(repository, "theirs", "find")
    repository.git("merge", "-q", "--no-edit", "ours")
    model = repository.root / "generated/models/zoom.py"
    model.write_text(model.read_text() + "# mine\n")
    assert "EDITED generated/models/zoom.py" in _generate(repository)
