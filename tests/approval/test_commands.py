"""From a key to a receipt, by commands alone: `approvers add`, `call`, `receipts verify`."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from toolgen.testing.test_key import TestKey

from tests.end_to_end.project import Project
from tests.preloaded import python_command

BODY = """
def execute(self, request, context):
    return f"{request.order} refunded, as {context.approval.approvers[0]} says"
"""
CONFIRM = "confirm: {message: 'Refund {order}?', proof: person, approvers: [finance]}"
KEY = TestKey.make()
ENTRY = KEY.entry("ann", ["finance"])


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    project = Project.create(tmp_path)
    project.add_plain_tool("refund", BODY, more=CONFIRM, properties="order: {type: integer}")
    project.write("approvers.toml", ENTRY).chmod(0o600)
    project.generate()
    return project


def answer(url: str, body: Any = None) -> Any:
    """Return what a page answers: to GET, or to the JSON that it is sent."""
    headers = {"Origin": url.partition("/approvals/")[0], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers)) as response:
        return json.loads(response.read() or "null")


class Command:
    """A command that waits for somebody to open a page."""

    def __init__(self, project: Project, *words: str) -> None:
        command = [*python_command(project.environment({})), "-m", "toolgen", *words]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, cwd=project.root, env=project.environment({}), **pipes)
        self.said = ""
        while not (found := re.search(r"http://localhost:\S+", self.said)):
            line = self._process.stderr.readline() if self._process.stderr else ""
            assert line, self.said
            self.said += line
        self.url = found[0]

    def ended(self) -> tuple[int, str, str]:
        """Return its exit code, and what it has printed."""
        out, err = self._process.communicate(timeout=60)
        return self._process.returncode, out, self.said + err


def test_a_key_is_made_and_its_entry_is_printed(shop: Project) -> None:
    command = Command(shop, "approvers", "add", "ann", "--group", "finance")
    (entry,) = tomllib.loads(ENTRY)["approver"]
    answer(command.url, entry)  # with what the terminal shows alone
    code, out, err = command.ended()
    assert (code, out) == (0, ENTRY), err


def test_a_call_waits_for_a_person_and_leaves_a_receipt(shop: Project) -> None:
    command = Command(shop, "call", "refund", "--input", '{"order": 7}', "--yes")
    digest = answer(f"{command.url}/request")["digest"]
    origin = command.url.partition("/approvals/")[0]
    assert answer(command.url, {"credential": KEY.sign(digest, origin)})["state"] == "approved"
    code, out, err = command.ended()
    assert (code, json.loads(out)) == (0, "7 refunded, as ann says"), err
    done = shop.toolgen("receipts", "verify", ".toolgen/receipts.jsonl", "--approvers", "approvers.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("refund: signed by ann, ")
    assert done.stdout.endswith(f" act {digest}\n")


def test_a_call_that_nobody_can_approve_does_not_wait(shop: Project) -> None:
    (shop.root / "approvers.toml").unlink()
    done = shop.toolgen("call", "refund", "--input", '{"order": 7}')
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no file approvers.toml: nobody can approve calls (toolgen approvers add)" in done.stderr


def test_a_call_that_a_person_declines_does_nothing(shop: Project) -> None:
    command = Command(shop, "call", "refund", "--input", '{"order": 7}', "--yes")
    answer(command.url, {"declined": True})
    code, out, err = command.ended()
    assert (code, out) == (1, "")
    assert "Refund 7?\n" in err
    assert "The user declined" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ann"], "error[usage] where people open the pages of the server is not known"),
        (["ann", "--group", "ann"], "error[usage] 'ann' cannot be a name and a group"),
        (["an\nn"], "error[usage] NAME and GROUP must be text in one line"),
        (["ann", "--approval-url", "http://127.0.0.1:8000"], "error[invalid-setting] --approval-url must be"),
        (
            ["Ä n", "--approval-url", "https://x.example/a"],
            "https://x.example/a/approvals/enrol?name=%C3%84%20n\n",
        ),
    ],
)
def test_invitations(shop: Project, words: list[str], said: str) -> None:
    done = shop.toolgen("approvers", "invite", *words)
    assert said in done.stdout + done.stderr
    assert done.returncode == (2 if "error" in said else 0)
