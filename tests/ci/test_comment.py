"""The GitHub Action and the GitLab jobs: their scripts run as they are written, against a loopback copy of GitHub's API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.comparing.repository import git
from tests.http_server import QuietHandler, serve
from tests.preloaded import programs
from tests.samples import sample

ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / ".github/actions/pull-request"
MARKER = "<!-- toolgen: pull request -->"
SPEC = Path(__file__).with_name("comment.yaml").read_text("utf-8")
COMMENTS = "/repos/shop/tools/issues/12/comments"


class GitHub:
    """The comments of a pull request, in pages of a hundred."""

    url = ""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.tokens: set[str] = set()
        self.status = 200
        github = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                page = int(self.path.rpartition("=")[2])
                self._answer(github.comments[(page - 1) * 100 : page * 100])

            def do_POST(self) -> None:
                if github.status == 200:
                    made = {"id": 70 + len(github.comments), "user": {"type": "Bot"}, **self._data()}
                    github.comments.append(made)
                self._answer({})

            def do_PATCH(self) -> None:
                (found,) = (each for each in github.comments if self.path.endswith(f"/comments/{each['id']}"))
                found.update(self._data())
                self._answer({})

            def _data(self) -> Any:
                return json.loads(self.received())

            def _answer(self, data: Any) -> None:
                github.calls.append(f"{self.command} {self.path.partition('?')[0]}")
                github.tokens.add(self.headers["Authorization"])
                self.reply(data, github.status)

        self.handler = Handler

    @property
    def body(self) -> str:
        """The comment of the action."""
        (found,) = (each for each in self.comments if each["user"]["type"] == "Bot")
        return str(found["body"])


@pytest.fixture
def github() -> Iterator[GitHub]:
    fake = GitHub()
    with serve(fake.handler) as fake.url:
        yield fake


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose branch `main` allows nine characters, and whose files allow five."""
    root = tmp_path / "repository"
    (root / "specs").mkdir(parents=True)
    git(root, "init", "-q", "-b", "empty")
    git(root, "commit", "-q", "--allow-empty", "-m", "nothing yet")
    (root / "toolgen.toml").touch()
    spec = root / "specs/greet.yaml"
    spec.write_text(SPEC)
    git(root, "checkout", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "a tool")
    spec.write_text(SPEC.replace("9", "5"))
    return root


def run_action(github: GitHub, root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the step that comments, as a runner does."""
    environment = {
        **os.environ,
        "PATH": f"{programs()}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ACTION),
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": "shop/tools",
        "GITHUB_STEP_SUMMARY": str(root.parent / "summary.md"),
        "DIRECTORY": ".",
        "AGAINST": "main",
        "PULL_REQUEST": "12",
        "GITHUB_TOKEN": "word",
        **variables,
    }
    script = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"][-1]["run"]
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def without_quotes(log: str) -> str:
    """Return the lines of a log in which a runner looks for workflow commands."""
    return re.sub(r"^::stop-commands::(\w{32})\n.*?^::\1::\n", "", log, flags=re.DOTALL | re.MULTILINE)


def test_the_comment_is_written_once_and_updated_in_place(github: GitHub, repository: Path) -> None:
    quoted = {"id": 1, "user": {"type": "User"}, "body": f"{MARKER} by a person"}
    github.comments.extend(dict(quoted) for _ in range(100))
    assert run_action(github, repository).returncode == 1
    assert github.body.startswith(MARKER)
    assert "**toolgen lint**: 3 warnings" in github.body
    assert "**toolgen budget**: no findings" in github.body
    assert "**toolgen breaking**: 1 error" in github.body
    assert github.body.endswith((repository.parent / "summary.md").read_text())
    (repository / "specs/greet.yaml").write_text(SPEC)
    assert run_action(github, repository).returncode == 0
    assert "**toolgen breaking**: no findings" in github.body
    assert github.comments[:100] == [quoted] * 100
    assert github.tokens == {"Bearer word"}
    assert [each for each in github.calls if not each.startswith("GET")] == [
        f"POST {COMMENTS}",
        "PATCH /repos/shop/tools/issues/comments/170",
    ]


def test_a_fork_may_not_comment_and_has_the_summary(github: GitHub, repository: Path) -> None:
    github.status = 403
    done = run_action(github, repository)
    assert done.returncode == 1
    assert without_quotes(done.stdout).startswith("::warning::toolgen may not comment here")
    assert "**toolgen breaking**: 1 error" in (repository.parent / "summary.md").read_text()


def test_values_and_texts_of_others_are_not_run(github: GitHub, repository: Path) -> None:
    (repository / "specs/greet.yaml").write_text(
        SPEC
        + "annotations: {'@octocat $(touch ran) ${{ github.token }}': 1}\nnam: \"</td>\\n::stop-commands::x\"\n"
    )
    hostile = '$(touch ran)"; touch ran; #`touch ran`'
    assert run_action(github, repository, DIRECTORY=hostile, AGAINST=hostile).returncode == 2
    done = run_action(github, repository)
    assert done.returncode == 2
    assert not list(repository.rglob("ran"))
    assert without_quotes(done.stdout) == ""
    assert "</td>" not in github.body


def test_no_input_is_written_into_the_scripts() -> None:
    steps = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


def test_a_long_comment_is_cut_between_lines() -> None:
    text = "\n".join(f"| {number:>050} |" for number in range(5_000))
    code = (
        f"import sys; sys.path.insert(0, {str(ACTION)!r}); import comment; "
        "sys.stdout.write(comment.shortened(sys.stdin.read()))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], input=text, capture_output=True, text=True, check=True
    )
    table, _, notice = done.stdout.partition("\n\n")
    assert text.startswith(f"{table}\n")
    assert 59_000 < len(done.stdout) < 65_536
    assert "summary of the job" in notice


@pytest.mark.parametrize(
    ("job", "code", "found"),
    sample(
        [
            ("toolgen check", 1, {"outdated-output"}),
            ("toolgen lint", 0, {"annotations-missing", "parameter-undescribed", "title-missing"}),
            ("toolgen budget", 0, set()),
            ("toolgen breaking", 1, {"limit-tightened"}),
        ],
        (3,),
    ),
)
def test_jobs_of_gitlab_write_reports(repository: Path, job: str, code: int, found: set[str]) -> None:
    jobs = yaml.safe_load((ROOT / ".gitlab/toolgen.yml").read_text())
    (script,) = jobs[job]["script"]
    environment = {
        **os.environ,
        "PATH": f"{programs()}{os.pathsep}{os.environ['PATH']}",
        "TOOLGEN_DIRECTORY": ".",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "main",
    }
    done = subprocess.run(["bash", "-c", script], cwd=repository, env=environment, check=False)
    assert done.returncode == code
    report = json.loads((repository / jobs[".toolgen"]["artifacts"]["reports"]["codequality"]).read_text())
    assert {each["check_name"] for each in report} == found
