"""Secrets of HTTP tools are masked in their results; CI's actions are pinned."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.project import Project
from tests.http_server import QuietHandler, serve

SECRET = "s3cret/ and+more"
CALL = """
import asyncio, sys
from generated import catalog
async def main():
    async with catalog.toolkit() as toolkit:
        response = await toolkit.call("echo_headers", {})
        print(response.success, response.content if response.success else response.error)
asyncio.run(main())
"""


@pytest.fixture
def mirror() -> Iterator[str]:
    """Run a server that returns what it received."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            sent = {name: value for name, value in self.headers.items() if name not in ("Host", "User-Agent")}
            self.reply({"path": self.path, "headers": sent, "list": [[self.path]], self.path: 1})

    with serve(Handler) as url:
        yield url


def imported(project: Project, url: str, scheme: dict[str, str]) -> None:
    (project.root / "api.json").write_text(
        json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "Mirror", "version": "1"},
                "servers": [{"url": url}],
                "paths": {
                    "/a": {
                        "get": {
                            "operationId": "echo_headers",
                            "responses": {
                                "200": {"description": "x", "content": {"application/json": {"schema": {}}}}
                            },
                        }
                    }
                },
                "security": [{"key": []}],
                "components": {"securitySchemes": {"key": scheme}},
            }
        )
    )
    project.write("pyproject.toml", "[project]\nname = 'my'\n")
    done = project.toolgen("import", "openapi", "api.json", "--implement")
    assert done.returncode == 0, done.stderr
    project.generate()


@pytest.mark.parametrize(
    ("scheme", "variables"),
    [
        ({"type": "apiKey", "in": "query", "name": "key"}, ["KEY"]),
        ({"type": "http", "scheme": "basic"}, ["PASSWORD", "USERNAME"]),
    ],
    ids=lambda each: each.get("in") or each["scheme"] if isinstance(each, dict) else None,
)
def test_a_secret_in_a_response_is_masked(
    project: Project, mirror: str, scheme: dict[str, str], variables: list[str]
) -> None:
    imported(project, mirror, scheme)
    spec = (project.root / "specs/echo_headers.yaml").read_text()
    names = sorted(set(re.findall(r"\bMY_\w+", spec)) - {"MY_MIRROR_BASE_URL"})
    values = {name: "someone" if name.endswith("USERNAME") else SECRET for name in names}
    assert [name.rpartition("_")[2] for name in names] == variables
    done = project.python("-c", CALL, NO_PROXY="127.0.0.1", **values)
    assert done.stdout.startswith("True"), done.stdout + done.stderr
    assert "[secret]" in done.stdout
    hidden = [SECRET, "s3cret%2F%20and%2Bmore", base64.b64encode(f"someone:{SECRET}".encode()).decode()]
    assert not [each for each in hidden if each in done.stdout + done.stderr]


def test_a_secret_is_sent_only_to_the_host_in_the_spec(project: Project, mirror: str) -> None:
    """The server was changed by hand, or the path continues the host's name."""
    imported(project, mirror, {"type": "http", "scheme": "bearer"})
    spec = project.root / "specs/echo_headers.yaml"
    text = spec.read_text()
    spec.write_text(text.replace(f"server: {mirror}", f"server: {mirror.replace('127.0.0.1', 'localhost')}"))
    assert spec.read_text() != text
    project.generate()
    (name,) = set(re.findall(r"\bMY_\w+TOKEN", text))
    done = project.python("-c", CALL, NO_PROXY="127.0.0.1,localhost", **{name: SECRET})
    assert done.stdout.startswith("False"), done.stdout + done.stderr
    assert "is not sent to" in done.stdout
    done = project.python(
        "-c",
        CALL,
        NO_PROXY="127.0.0.1,localhost",
        MY_MIRROR_BASE_URL=mirror.replace("127.0.0.1", "localhost"),
        **{name: SECRET},
    )
    assert done.stdout.startswith("True"), done.stdout + done.stderr
    spec.write_text(text.replace("path: /a", "path: '@localhost/a'"))
    project.generate()
    done = project.python("-c", CALL, NO_PROXY="127.0.0.1,localhost", **{name: SECRET})
    assert "leads to another host" in done.stdout


def test_actions_are_pinned_by_commit(project: Project) -> None:
    top = Path(__file__).parents[3]
    project.toolgen("init")
    workflows = [*top.glob(".github/workflows/*.yml"), project.root / ".github/workflows/toolgen.yml"]
    found = [line for file in workflows for line in re.findall(r"uses: *(.*)", file.read_text())]
    assert len(found) >= 4
    assert not [line for line in found if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[0-9.]+", line)]
