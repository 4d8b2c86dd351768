"""The GitHub Action that comments on a pull request: once, and from then on in place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / ".github/actions/pull-request"
SPEC = """\
name: greet
description: Say hello to @everybody.
input_schema:
  type: object
  additionalProperties: false
  properties:
    who: {type: string, maxLength: 9}
"""


class GitHub:
    """The comments of one pull request, behind a loopback copy of GitHub's API."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.calls: list[str] = []
        github = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(github.comments)

            def do_POST(self) -> None:
                made = {"id": 7 + len(github.comments), "user": {"type": "Bot"}, **self._body()}
                github.comments.append(made)
                self._answer(made)

            def do_PATCH(self) -> None:
                (wanted,) = (each for each in github.comments if self.path.endswith(f"/{each['id']}"))
                wanted.update(self._body())
                self._answer(wanted)

            def _body(self) -> Any:
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def _answer(self, data: Any) -> None:
                github.calls.append(
                    f"{self.command} {self.path.partition('?')[0]} {self.headers['Authorization']}"
                )
                body = json.dumps(data).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def github() -> Iterator[GitHub]:
    fake = GitHub()
    yield fake
    fake.server.shutdown()
    fake.server.server_close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder, length in (("v1", 9), ("specs", 5)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "greet.yaml").write_text(SPEC.replace("9", str(length)))
    (tmp_path / "toolgen.toml").touch()
    return tmp_path


def run_action(github: GitHub, project: Path) -> int:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "AGAINST": "./v1",
        "DIRECTORY": str(project),
        "PULL_REQUEST": "12",
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": "shop/tools",
        "GITHUB_TOKEN": "token",
    }
    script = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"][0]["run"]
    environment["GITHUB_ACTION_PATH"] = str(ACTION)
    return subprocess.run(["bash", "-c", script], cwd=project, env=environment, check=False).returncode


def test_the_comment_is_written_once_and_updated_in_place(github: GitHub, project: Path) -> None:
    assert run_action(github, project) == 1
    (comment,) = github.comments
    assert "**toolgen breaking**: 1 error" in comment["body"]
    assert "**toolgen lint**" in comment["body"]
    assert "'maxLength' of 'who' lowered from 9 to 5" in comment["body"].replace("\\", "")
    (project / "specs/greet.yaml").write_text(SPEC)
    assert run_action(github, project) == 0
    (comment,) = github.comments
    assert "**toolgen breaking**: no findings" in comment["body"]
    assert [each.split()[:2] for each in github.calls] == [
        ["GET", "/repos/shop/tools/issues/12/comments"],
        ["POST", "/repos/shop/tools/issues/12/comments"],
        ["GET", "/repos/shop/tools/issues/12/comments"],
        ["PATCH", "/repos/shop/tools/issues/comments/7"],
    ]


@pytest.mark.slow
def test_a_comment_of_a_person_is_never_replaced(github: GitHub, project: Path) -> None:
    github.comments.append({"id": 1, "user": {"type": "User"}, "body": "<!-- toolgen: pull request --> mine"})
    run_action(github, project)
    assert [each["user"]["type"] for each in github.comments] == ["User", "Bot"]
    assert github.comments[0]["body"].endswith("mine")


def test_no_input_is_written_into_the_script() -> None:
    (step,) = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    assert "${{" not in step["run"]
