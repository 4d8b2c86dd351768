"""Calls of a forwarded tool go to the server whose contract its spec has, whatever the tools are called."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from toolgen.upstream import Upstream

from tests.client.test_strange_servers import SERVER as STRANGE
from tests.end_to_end.project import Project

OBJECT = {"type": "object"}


class TwoServers(Project):
    """A project in front of `github` and `linear`, each with a tool `create_issue`."""

    def said(self, name: str, **changes: Any) -> str:
        """Let a server list its tools; return the file that says so."""
        tool = {"name": "create_issue", "description": f"Create it in {name}.", "inputSchema": OBJECT}
        answer = {"content": [{"type": "text", "text": name}]}
        said = {"name": name, "tools": [tool], "answer": answer, **changes}
        return str(self.write(f"said/{changes.get('file', name)}.json", json.dumps(said)))

    def take(self, name: str, *words: str) -> CompletedProcess[str]:
        """Import a server with implementations."""
        return self.toolgen("import", "mcp", "--implement", *words, "--", *self.command(self.said(name)))

    def command(self, said: str) -> list[str]:
        return [sys.executable, str(STRANGE), said]

    def refused(self, done: CompletedProcess[str], *words: str) -> None:
        assert done.returncode == 2, (done.stdout, done.stderr)
        assert [word for word in words if word not in done.stderr] == []

    def follow(self, done: CompletedProcess[str], before: str) -> None:
        """Run the command that a message advises."""
        advice = (done.stdout + done.stderr).partition(before)[2].partition("\n")[0]
        assert self.toolgen(*shlex.split(advice)[1:]).returncode == 0


@pytest.fixture
def two(tmp_path: Path) -> TwoServers:
    """The project, with `github` imported."""
    made = TwoServers.create(tmp_path / "p")
    assert made.take("github").returncode == 0
    made.generate()
    return made


def test_a_second_server_with_a_tool_of_that_name_gets_a_folder_of_its_own(two: TwoServers) -> None:
    two.refused(two.take("linear"), "specs/create_issue.yaml exists already", "--into DIR")
    before = {path: path.read_bytes() for path in two.root.rglob("*.yaml")}
    two.refused(two.take("linear", "--sync"), "specs/create_issue.yaml exists already", "--into DIR")
    assert {path: path.read_bytes() for path in two.root.rglob("*.yaml")} == before
    done = two.take("linear", "--into", "specs/linear")
    assert done.returncode == 0, done.stderr
    two.generate()
    for name, server in (("create_issue", "github"), ("create_issue_2", "linear")):
        assert json.loads(two.toolgen("call", name, "--input", "{}").stdout) == server
    for name, words in (("linear", ["--into", "specs/linear"]), ("linear", []), ("github", [])):
        assert "1 tool in the source, 0 specs written" in two.take(name, "--sync", *words).stderr
    two.generate()
    assert two.toolgen("check", "--upstream").returncode == 0


def test_a_spec_of_one_server_with_the_module_of_another_is_refused(two: TwoServers) -> None:
    assert two.take("linear", "--into", "specs/linear").returncode == 0
    spec = two.root / "specs/linear/create_issue_2.yaml"
    (two.root / "specs/create_issue.yaml").unlink()
    spec.write_text(spec.read_text().replace("name: create_issue_2", "name: create_issue"))
    two.generate()
    pair = "tools/create_issue.py"
    two.refused(
        two.toolgen("check"), pair, "forwards to github", "from linear", "remove the module and import"
    )
    two.refused(two.toolgen("check", "--upstream"), pair, "forwards to github")
    two.refused(two.python("-m", "generated.mcp_server"), pair, "not started", "from linear/create_issue")
    called = two.toolgen("call", "create_issue", "--input", "{}")
    assert (called.returncode, called.stdout) == (1, "")
    assert "calls would go to github/create_issue" in called.stderr
    two.refused(two.take("linear", "--sync"), pair, "forwards to github")
    (two.root / pair).unlink()
    assert two.take("linear", "--sync").returncode == 0
    assert json.loads(two.toolgen("call", "create_issue", "--input", "{}").stdout) == "linear"


def test_servers_of_one_name_are_told_apart_by_their_addresses(two: TwoServers) -> None:
    other = two.command(two.said("github", file="other", answer={"content": [{"type": "text", "text": "b"}]}))
    words = ["import", "mcp", "--implement", "--sync", "--", *other]
    said = ("_upstreams/github.py forwards to another", "write SOURCE there", "without --sync")
    two.refused(two.toolgen(*words), *said)
    words[3:4] = ["--into", "specs/other"]
    assert two.toolgen(*words).returncode == 0
    two.generate()
    for name, answer in (("create_issue", "github"), ("create_issue_2", "b")):
        assert json.loads(two.toolgen("call", name, "--input", "{}").stdout) == answer
    module = two.root / "tools/_upstreams/github.py"
    module.write_text(module.read_text().replace("github.json", "other.json"))  # as the message says
    assert two.toolgen(*words[:3], "--sync", *words[5:]).returncode == 0


def test_the_advice_of_an_import_can_be_followed(tmp_path: Path) -> None:
    made = TwoServers(tmp_path)
    server = made.command(made.said("github"))

    def take(words: str) -> CompletedProcess[str]:
        return made.toolgen("import", "mcp", *words.split(), "--", *server)

    assert take("--into specs").returncode == 0
    made.write("toolgen.toml", "")
    made.refused(take("--implement --sync"), 'write implementations = "PACKAGE" in it')
    made.write("toolgen.toml", 'implementations = "tools"')
    made.refused(take("--implement --into more"), "leave out --into, or --implement")
    for words in ("--implement --sync", "--into more"):
        assert take(words).returncode == 0


def test_the_advice_of_check_upstream_can_be_typed(two: TwoServers) -> None:
    tool = {"name": "create_issue", "description": "Changed.", "inputSchema": OBJECT}
    two.said("github", tools=[tool])
    done = two.toolgen("check", "--upstream")
    assert done.returncode == 1
    two.follow(done, "if this is as it should be: ")
    two.generate()
    assert two.toolgen("check", "--upstream").returncode == 0
    (two.root / "tools/_upstreams/github.lock").unlink()
    done = two.toolgen("check", "--upstream")
    two.refused(done, "error[no-lock] cannot read tools/_upstreams/github.lock")
    two.follow(done, "write it: ")
    assert two.toolgen("check", "--upstream").returncode == 0


def test_a_variable_in_the_url_of_a_server_is_filled_in_and_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "hunter2")
    upstream = Upstream("https://shop.example/mcp?key=${SHOP_KEY}", lock="shop.lock")
    assert upstream.address().source.endswith("key=hunter2")
    assert upstream.secrets == ["hunter2"]
    assert "hunter2" not in upstream.address().shown + repr(upstream)
