"""A project with a tool of each kind, with a ledger of what was done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LEDGER = "TOOLGEN_TEST_LEDGER"  # environment variable: a file to which each execution appends a line

_SPEC = Path(__file__).with_name("project.yaml").read_text("utf-8")
_TOOL = """\
import asyncio, os

from generated.models.{name} import {class_name}Response
from generated.tools.{name} import {class_name}Tool


class {class_name}({class_name}Tool):
    async def execute(self, request, context):
        with open(os.environ["TOOLGEN_TEST_LEDGER"], "a") as ledger:
            ledger.write(f"{name} {{request.number}}\\n")
        await asyncio.sleep({seconds})
        return {class_name}Response(number=request.number)
"""
# name → description, more of the spec, seconds that a call takes
TOOLS = {
    "look": ("Look something up.", "annotations: {readOnlyHint: true}\n", 0.005),
    "pay": ("Pay, once.", "annotations: {readOnlyHint: false, idempotentHint: false}\n", 0.02),
    "order": ("Order, once for each key.", "idempotency: {ttl: 600}\n", 0.02),
    "find": (
        "Find something, so often a second.",
        "annotations: {readOnlyHint: true}\nrate_limit: {per_second: 1000}\n",
        0.005,
    ),
    "wipe": (
        "Wipe, if the user agrees.",
        'confirm: {message: "Wipe {number}?", on_unsupported: two_step}\n',
        0.02,
    ),
}


def lay_out(folder: Path) -> None:
    """Write and generate the project."""
    (folder / "specs").mkdir(parents=True)
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    for name, (description, more, seconds) in TOOLS.items():
        spec = _SPEC.replace("NAME", name).replace("DESCRIPTION", description) + more
        (folder / "specs" / f"{name}.yaml").write_text(spec)
        tool = _TOOL.format(name=name, class_name=name.title(), seconds=seconds)
        (folder / "tools" / f"{name}.py").write_text(tool)
    subprocess.run(
        [sys.executable, "-m", "toolgen", "generate"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
