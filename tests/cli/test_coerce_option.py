"""`coerce` in the spec overrides `coerce` in the configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli

SPEC = Path(__file__).with_name("coerce_option.yaml").read_text("utf-8")
ASK = """\
import json
from generated import catalog
from toolgen.runtime import ToolError

found = {}
for name in catalog.TOOLS:
    try:
        found[name] = catalog.tool_class(name).check_inputs({"n": "5"}).n
    except ToolError as error:
        found[name] = error.message.splitlines()[-1]
print(json.dumps(found))
"""
REFUSED = '- $.n: expected integer, got the string "5"'


@pytest.mark.parametrize(("setting", "unsaid"), [("coerce = true\n", 5), ("coerce = false\n", REFUSED)])
def test_the_spec_wins_over_the_configuration(empty: Cli, setting: str, unsaid: object) -> None:
    (empty.root / "toolgen.toml").write_text(setting)
    for name, line in (("unsaid", ""), ("coerced", "coerce: true\n"), ("exact", "coerce: false\n")):
        empty.spec(name, SPEC.replace("NAME", name) + line)
    assert empty("generate").code == 0
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=empty.root, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {"unsaid": unsaid, "coerced": 5, "exact": REFUSED}
