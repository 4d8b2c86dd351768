"""The Makefile in docs/build-systems.md, run by Make."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hermetic.helpers import ROOT, SHARED, TOOL, Actions, tree


def _make(folder: Path) -> list[str]:
    """Run Make; return the specs and indices whose actions ran, sorted by name."""
    env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"}
    done = subprocess.run(["make", "-j2"], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(re.findall(r"^toolgen generate --(?:spec|index) (\S+)", done.stdout, re.MULTILINE))


@pytest.mark.slow
def test_make_runs_the_actions_that_an_edit_affects(actions: Actions) -> None:
    document = (ROOT / "docs/build-systems.md").read_text()
    (makefile,) = re.findall(r"^```make\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    actions.write("Makefile", makefile)
    actions.write("toolgen.toml", 'implementations = "app.tools"\n')
    user, plain = actions.tool("get_order", TOOL), actions.tool("ping")
    shared = "specs/schemas/orders.yaml"
    index = "build/get_order.json"  # the first of its pieces

    assert _make(actions.root) == [index, user, plain, shared]
    assert _make(actions.root) == []
    _edit(actions, plain, (actions.root / plain).read_text().replace("Say", "Do say"))
    assert _make(actions.root) == [index, plain]
    _edit(actions, "specs/schemas/orders.yaml", SHARED.replace("ORD", "PO"))
    assert _make(actions.root) == [index, user, shared]

    assert actions("generate").code == 0
    built = tree(actions.root / "build" / "generated")
    made = tree(actions.root / "generated")
    assert built == made


def _edit(actions: Actions, path: str, text: str) -> None:
    """Edit a file with a newer time than the build, even on file systems with coarse timestamps."""
    file = actions.write(path, text)
    later = time.time() + 1
    os.utime(file, (later, later))
    time.sleep(1.1)
