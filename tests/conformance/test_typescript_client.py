"""Clients in TypeScript: `tsc --strict` reads them, and node calls a server of toolgen with one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.conftest import SPECS, TOOLS
from tests.end_to_end.project import Project
from tests.importers.test_mcp import TOOLS as TOOLS_OF_SERVERS
from tests.preloaded import python_command

from .conftest import PACKAGES, install

pytestmark = pytest.mark.conformance

USE = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CafeClient, ToolError } from "./cafe/client.js";

const [command, ...args] = process.argv.slice(2) as [string, ...string[]];
const client = new Client({ name: "test", version: "1" });
const cafe = await CafeClient.connect(client, new StdioClientTransport({ command, args, env: process.env as {} }));
const order = await cafe.order({ items: [{ sku: "A" }], note: null });
const id: number = order.id;
const numbers: number[] = await cafe.list_({ self: 3, result: [] });
const lines = await cafe.lines({ count: 2 });
const counted: number[] = await cafe.numbers({ count: 2 });
const chart = await cafe.chart();
const total: number = chart.structuredContent.total;
const code = await cafe.order({ items: [{ sku: "NONE" }] }).catch((error) => (error as ToolError).code);
console.log(JSON.stringify([id, numbers, lines.sent, counted, total, chart.content.length, code]));
await client.close();
"""
LIST = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
console.log((await client.listTools()).tools.length);
await client.close();
"""
PLANTED = """\
import { CafeClient } from "./cafe/client.js";
export async function wrong(cafe: CafeClient): Promise<void> {
  await cafe.order({ items: "A" });
  const id: string = (await cafe.order({ items: [{ sku: "A" }] })).id;
  console.log(id);
}
"""


@pytest.fixture(scope="module")
def tsc(environment: dict[str, str]) -> Callable[[Path], list[str]]:
    install("typescript@7", "@modelcontextprotocol/sdk@1", "@types/node@20", path=environment["PATH"])

    def run(folder: Path) -> list[str]:
        """Compile the modules in a folder to `out`; return the errors."""
        options = {
            "strict": True,
            "exactOptionalPropertyTypes": True,
            "noUncheckedIndexedAccess": True,
            "noUnusedLocals": True,
            "noPropertyAccessFromIndexSignature": True,
            "verbatimModuleSyntax": True,
            "module": "nodenext",
            "target": "esnext",
            "skipLibCheck": True,
            "outDir": "out",
            "types": ["node"],
        }
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
        (folder / "package.json").write_text('{"type": "module"}')
        if not (folder / "node_modules").exists():
            (folder / "node_modules").symlink_to(PACKAGES / "node_modules")
        command = [os.fspath(PACKAGES / "node_modules/.bin/tsc"), "-p", os.fspath(folder)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return [line for line in done.stdout.splitlines() if "error TS" in line]

    return run


def test_a_client_in_typescript_calls_a_server(
    tsc: Callable[[Path], list[str]], environment: dict[str, str], tmp_path: Path
) -> None:
    made = Project.create(tmp_path, output="cafe_server", implementations="cafe_tools")
    for name, spec in SPECS.items():
        made.write(f"specs/{name}.yaml", spec)
        text = "\n".join(line.removeprefix(" " * 8) for line in TOOLS[name].split("\n"))
        made.write(f"cafe_tools/{name}.py", f"from cafe_server.tools.{name} import *\n{text}")
    made.generate()
    app = ["client", ".", "--out", "app", "--package", "cafe", "--language", "typescript"]
    assert made.toolgen(*app).returncode == 0
    made.write("app/use.ts", USE)

    assert tsc(tmp_path / "app") == []
    server = [*python_command(made.environment({})), "-m", "cafe_server.mcp_server"]
    done = subprocess.run(
        ["node", "app/out/use.js", *server],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**environment, **made.environment({}), "PATH": environment["PATH"]},
        check=False,
    )
    assert json.loads(done.stdout or "null") == [7, [0, 1, 2], 2, [0, 1], 3, 2, "out_of_stock"], done.stderr


def test_the_sdk_lists_a_server_with_odd_tools(environment: dict[str, str], tmp_path: Path) -> None:
    install("@modelcontextprotocol/sdk@1", path=environment["PATH"])
    made = Project.create(tmp_path)
    made.write("tools.json", json.dumps(TOOLS_OF_SERVERS))
    assert made.toolgen("import", "mcp", "tools.json").returncode == 0
    made.generate()
    made.write("list.mjs", LIST)
    (tmp_path / "node_modules").symlink_to(PACKAGES / "node_modules")
    command = ["node", "list.mjs", *python_command(made.environment({})), "-m", "generated.mcp_server"]
    path = {**environment, **made.environment({}), "PATH": environment["PATH"]}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=path, check=False)
    assert done.stdout.strip() == str(len(TOOLS_OF_SERVERS)), done.stderr


def test_tsc_refuses_wrong_arguments_and_wrong_uses_of_responses(
    tsc: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    made = Project(tmp_path, {"TOOLGEN_CACHE_DIR": str(tmp_path / "cache")})
    made.write("specs/order.yaml", SPECS["order"])
    written = made.toolgen("client", "specs", "--out", "app", "--package", "cafe", "--language", "typescript")
    assert written.returncode == 0
    made.write("app/planted.ts", PLANTED)
    errors = tsc(tmp_path / "app")
    assert [line.partition("planted.ts(")[2].partition(",")[0] for line in errors] == ["3", "4"]
