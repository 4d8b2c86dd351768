"""`import fastmcp` of a FastMCP server: adopted, it lists and answers as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.samples import load_beside

from .comparing import compare, toolgen

pytestmark = pytest.mark.bridges

SHOP = Path(__file__).with_name("fastmcp_shop.py").read_text()
SETTINGS = 'implementations = "tools"\ntargets = ["mcp", "openai"]\n'
CALLS: list[tuple[str, dict[str, Any]]] = load_beside(__file__, "fastmcp_calls.yaml")


@pytest.fixture
def shop(empty: Cli) -> Cli:
    """A project with a server."""
    (empty.root / "toolgen.toml").write_text(SETTINGS)
    (empty.root / "shop.py").write_text(SHOP)
    return empty


def test_an_adopted_server_lists_and_answers_as_before(shop: Cli) -> None:
    done = shop("import", "fastmcp", "shop:mcp", "--implement")
    assert done.code == 0, done.err
    assert shop("generate").code == 0
    result = compare(shop.root, "shop:mcp", CALLS)
    assert sorted(result.tools) == sorted(dict(CALLS))
    assert result.listing == []
    assert result.answers == []
    assert result.errors == 2 * 4
    assert result.blocks.keys() == {"text", "image", "audio", "resource"}


def test_a_tool_with_its_own_auth_is_refused_to_callers_who_are_not_known(shop: Cli) -> None:
    text = SHOP.replace("@mcp.tool\ndef add(", "@mcp.tool(auth=require_scopes('write'))\ndef add(")
    text = text.replace(
        "from fastmcp.exceptions", "from fastmcp.server.auth import require_scopes\nfrom fastmcp.exceptions"
    )
    (shop.root / "shop.py").write_text(text)
    done = shop("import", "fastmcp", "shop:mcp", "--implement")
    assert "add: keeps its own `auth` check; write auth.scopes" in done.err
    shop("generate")
    done = toolgen(shop.root, "call", "add", "--input", '{"a": 1}')
    assert done.returncode == 1
    assert "Unknown tool: 'add'" in done.stderr


def test_calls_without_a_client_have_a_context(shop: Cli) -> None:
    shop("import", "fastmcp", "shop:mcp", "--implement")
    shop("generate")
    done = toolgen(shop.root, "call", "stock", "--input", '{"sku": "bolt"}')
    assert '"result": "40 of bolt for Shop"' in done.stdout, done.stderr
    done = toolgen(shop.root, "call", "price", "--input", '{"sku": "gold"}')
    assert "Error [failed]: no thing gold; call list_things first" in done.stderr
    done = toolgen(shop.root, "call", "report", "--format", "json")
    assert '"ok": true' in done.stdout, done.stderr


BROKEN = """\
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ToolAnnotations

mcp = FastMCP("Broken")
READS = ToolAnnotations(readOnlyHint=True)


@mcp.tool(annotations=READS)
def halve(number: int) -> int:
    \"\"\"Halve a number.\"\"\"
    return number // 0


@mcp.tool(annotations=READS)
async def find(name: str) -> str:
    \"\"\"Find a thing.\"\"\"
    return {}[name]


@mcp.tool(annotations=READS)
def refuse(name: str) -> str:
    \"\"\"Find nothing.\"\"\"
    try:
        return {}[name]
    except KeyError as error:
        raise ToolError("there is no such thing") from error
"""


def test_a_crash_of_an_adopted_tool_fails_its_test(empty: Cli) -> None:
    (empty.root / "toolgen.toml").write_text(SETTINGS)
    (empty.root / "broken.py").write_text(BROKEN)
    assert empty("import", "fastmcp", "broken:mcp", "--implement").code == 0
    assert empty("generate").code == 0
    done = toolgen(empty.root, "test", "--max-calls", "5")
    assert done.returncode == 1, done.stdout
    for tool, error in {"halve": "ZeroDivisionError", "find": "KeyError"}.items():
        fault = f"error[contract-broken] answers: the call ends with internal_error ({error}: "
        assert any(fault in line for line in done.stdout.splitlines() if f"/{tool}.yaml:" in line)
    assert "refuse.yaml" not in done.stdout
