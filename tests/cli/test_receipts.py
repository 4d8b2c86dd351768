"""`receipts verify`, and the program of docs/approval.md that verifies the same with `cryptography` alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime.approval.approvers import Approver
from toolgen.runtime.approval.signature import Signature, digest_of
from toolgen.testing.test_key import TestKey

from .conftest import Cli

PAGE = (Path(__file__).parents[2] / "docs/approval.md").read_text(encoding="utf-8")
PROGRAM = re.findall(r"```python\n(# verify\.py\n.*?)```", PAGE, re.DOTALL)[0]
KEYS = {name: TestKey.make() for name in ("ann", "bob")}
SITE = {"origin": "http://localhost:8000", "rp_id": "localhost"}
ACT = {"tool": "refund", "arguments": {"order": 7}, "approvers": ["ann", "bob"], **SITE, "expires": 4e9}


def receipt(name: str, *, key: str = "", quorum: int = 2, changed: Any = None, **how: Any) -> str:
    """Return the receipt of somebody who has signed, with what is `changed` afterwards."""
    act = json.dumps({**ACT, "quorum": quorum})
    (entry,) = tomllib.loads(KEYS[key or name].entry(name))["approver"]
    credential = KEYS[key or name].sign(digest_of(act), **{"origin": SITE["origin"], **how})
    signature = Signature.of(credential, Approver(**entry)).model_dump()
    return json.dumps({"act": act, "digest": digest_of(act), **signature, **(changed or {})})


OTHER = json.dumps({**ACT, "arguments": {"order": 8}, "quorum": 1})
BAD = {  # what is wrong → the receipt of ann, what the command says, and whether the page's program refuses it
    "another act": ({"changed": {"act": OTHER, "digest": digest_of(OTHER)}}, "does not verify", True),
    "another digest": ({"changed": {"digest": digest_of(OTHER)}}, "the digest is not that of the act", True),
    "another origin": ({"origin": "http://localhost:9"}, "does not verify", True),
    "nobody verified": ({"flags": 1}, "does not verify", True),
    "in a frame": ({"crossOrigin": True}, "in a frame of another site", True),
    "another ceremony": ({"type": "webauthn.create"}, "does not verify", True),
    "altered": ({"changed": {"signature": "AAAA"}}, "does not verify", True),
    "no number": ({"changed": {"time": "now"}}, "this is not a receipt", False),
    "expired": ({"changed": {"time": 5e9}}, "after the approval had expired", False),
    "no approver": ({"changed": {"approver": "eve"}}, "eve is none of the approvers", False),
    "one key for two": ({"key": "bob"}, "signed by 1 of the 2 people", False),
}


def verified(folder: Path, lines: list[str]) -> int:
    """Return the exit code of the program of the page."""
    (folder / "verify.py").write_text(PROGRAM)
    (folder / "receipts").write_text("\n".join(lines))
    command = [sys.executable, "-O", "verify.py", "receipts"]  # as without asserts
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def test_receipts_that_verify(project: Cli) -> None:
    lines = [receipt("ann"), receipt("bob")]
    assert verified(project.root, lines) == 0
    (project.root / "approvers.toml").write_text(KEYS["ann"].entry("ann") + KEYS["bob"].entry("bob"))
    done = project("receipts", "verify", "receipts", "--approvers", "approvers.toml")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"refund: signed by ann, bob, \S+\+00:00, act \S{43}\n", done.out)
    assert "not compared with reviewed ones" in project("receipts", "verify", "receipts").err
    (project.root / "approvers.toml").write_text(KEYS["ann"].entry("ann"))
    done = project("receipts", "verify", "receipts", "--approvers", "approvers.toml")
    assert done.code == 1
    assert "receipts:2: bob has no such key in " in done.out
    assert "receipts:1: refund was signed by 1 of the 2 people it needs\n" in done.out


@pytest.mark.parametrize(("how", "says", "is_refused"), BAD.values(), ids=BAD)
def test_receipts_that_do_not_verify(project: Cli, how: Any, says: str, is_refused: bool) -> None:
    lines = [receipt("ann", **how), receipt("bob")]
    assert bool(verified(project.root, lines)) == is_refused
    done = project("receipts", "verify", "receipts", "--format", "json")
    assert done.code == 1
    assert says in json.loads(done.out)["faults"][0]["message"]
