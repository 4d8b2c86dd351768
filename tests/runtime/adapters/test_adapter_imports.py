"""SDKs are imported when they are used; a missing one is reported with the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, cwd=HERE)


def test_definitions_need_no_sdk() -> None:
    done = run(
        "import sys; sys.path.insert(0, '..')\n"
        "from shop import TOOLS\n"
        "from toolgen import serving\n"
        "from toolgen.runtime.adapters import openai\n"
        "assert serving.mcp_tools(TOOLS) and openai.chat_tools(TOOLS)\n"
        "assert openai.responses_tools(TOOLS) and openai.PROVIDER\n"
        "unwanted = {'mcp', 'mcp_types', 'openai', 'uvicorn', 'anyio'}\n"
        "print(sorted(unwanted & sys.modules.keys()))"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("missing", ["mcp", "uvicorn"])
def test_a_server_without_its_sdk_says_what_to_install(missing: str) -> None:
    done = run(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from serve_samples import samples\n"
        "from toolgen import serving\n"
        "sys.exit(serving.main(samples, []))"
    )
    assert done.returncode == 2
    assert done.stderr == "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'\n"
