"""`toolgen bundle`: a file that a client installs, with all that the server needs."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests import npm
from tests.cli.conftest import Cli

from .conftest import configure

TOOL = """\
from generated import GreetRequest, GreetResponse, GreetTool
from toolgen.runtime import ToolContext


class Greet(GreetTool):
    def execute(self, request: GreetRequest, context: ToolContext) -> GreetResponse:
        return GreetResponse(text=f"Hello, {request.who}!")
"""
CONVERSATION = [
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "greet", "arguments": {"who": "Ada"}}},
]  # fmt: skip


@pytest.fixture
def greeter(shop: Cli) -> Cli:
    """A project whose tool works."""
    (shop.root / "work/greet.py").write_text(TOOL)
    return shop


def unpacked(shop: Cli, folder: Path) -> Path:
    """Make the bundle, and unpack it into a folder."""
    done = shop("bundle", "--format", "json")
    assert done.code == 0, done.err
    content = (shop.root / "dist/ada-s-shop-1.2.0.mcpb").read_bytes()
    assert json.loads(done.out)["sha256"] == sha256(content).hexdigest()
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder


def answers(command: list[str], folder: Path, env: dict[str, str]) -> list[dict[str, object]]:
    """Start a server in another folder, and return what it answers."""
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    found = []
    for message in CONVERSATION:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        if "id" in message:
            found.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    assert process.wait(30) == 0
    return found


@pytest.mark.slow
def test_the_unpacked_bundle_serves_without_the_project(greeter: Cli, tmp_path: Path) -> None:
    folder = unpacked(greeter, tmp_path / "installed")
    shutil.move(greeter.root, tmp_path / "elsewhere")
    # the installed packages without toolgen: `vendor/` has to be enough
    packages = tmp_path / "packages"
    packages.mkdir()
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if "toolgen" not in each.name:
            (packages / each.name).symlink_to(each)
    env = {**os.environ, "SHOP_KEY": "s", "PYTHONPATH": str(packages)}

    started, called = answers([sys.executable, "-S", str(folder / "server.py")], tmp_path, env)

    assert started["result"]["serverInfo"] == {"name": "Ada's Shop", "version": "1.2.0"}  # type: ignore[index]
    assert called["result"]["structuredContent"] == {"text": "Hello, Ada!"}  # type: ignore[index]


def test_the_same_files_give_the_same_bytes(greeter: Cli) -> None:
    assert greeter("bundle").code == greeter("bundle", "--output", f"{greeter.root}/b.mcpb").code == 0
    first = (greeter.root / "dist/ada-s-shop-1.2.0.mcpb").read_bytes()
    assert first == (greeter.root / "b.mcpb").read_bytes()


@pytest.mark.parametrize("before", ["", 'bundle_sha256 = "' + "0" * 64 + '"  # of the last one\n'])
def test_the_hash_of_a_bundle_is_recorded_where_the_registry_reads_it(greeter: Cli, before: str) -> None:
    """And the hash in `server.json` does not change the bundle."""
    address = 'bundle = "https://x.example/a.mcpb"  # mine\n'
    configure(greeter, 'author = "Ada Example"\n', f'author = "Ada Example"\n{address}{before}')
    done = greeter("generate")
    assert ("`toolgen bundle` adds its SHA-256" in done.err) == (not before)

    done = greeter("bundle")

    content = (greeter.root / "dist/ada-s-shop-1.2.0.mcpb").read_bytes()
    found = sha256(content).hexdigest()
    assert "wrote its hash to toolgen.toml" in done.err
    text = (greeter.root / "toolgen.toml").read_text()
    assert f'{address}bundle_sha256 = "{found}"' in text
    assert text.endswith("  # of the last one\n") == bool(before)
    packages = json.loads((greeter.root / "generated/server.json").read_text())["packages"]
    assert [each["fileSha256"] for each in packages] == [found]
    assert greeter("check").code == 0
    assert "wrote its hash" not in greeter("bundle").err
    assert (greeter.root / "dist/ada-s-shop-1.2.0.mcpb").read_bytes() == content


def test_no_hidden_file_no_secret_and_no_byte_code_is_in_it(greeter: Cli, tmp_path: Path) -> None:
    secrets = ["ca.pem", "secrets.env", "id_rsa", "old.mcpb", "credentials.json", "signing.txt"]
    secrets += ["ca.pem.bak", "client_secret_1.apps.json", "kubeconfig", "signing.json"]
    for path in (".env", "__pycache__/x.pyc", ".git/config", "secrets.py", "data/public.pem", *secrets):
        (greeter.root / "work" / path).parent.mkdir(exist_ok=True)
        key = "-----BEGIN RSA PRIVATE KEY-----"
        key = json.dumps({"type": "x", "private_key": key}) if path.endswith(".json") else key
        (greeter.root / "work" / path).write_text(key if "sign" in path else "x")
    configure(
        greeter, 'author = "Ada Example"\n', 'author = "Ada Example"\ninclude = ["work/data/public.pem"]\n'
    )
    greeter("generate")
    folder = unpacked(greeter, tmp_path / "installed")
    packed = sorted(path.name for path in (folder / "app/work").rglob("*") if path.is_file())
    assert packed == ["__init__.py", "greet.py", "public.pem", "secrets.py"]
    assert (folder / "app/generated/skills/ada-s-shop/SKILL.md").is_file()
    assert f"content: {', '.join(f'work/{name}' for name in sorted(secrets))}" in greeter("bundle").err


@pytest.mark.parametrize(("path", "text", "said"), [
    ("specs/later.yaml", "name: later\ndescription: Later.\ninput_schema: {type: object}\n", "the code in generated is not up to date"),
    ("mine/mcpb/mcpb/manifest.json.jinja", '{"name": "x"}', "is no manifest"),
    ("mine/mcpb/mcpb/manifest.json.jinja", "{", "is no manifest"),
])  # fmt: skip
def test_what_would_not_start_is_refused(greeter: Cli, path: str, text: str, said: str) -> None:
    (greeter.root / path).parent.mkdir(parents=True, exist_ok=True)
    (greeter.root / path).write_text(text)
    if path.startswith("mine/"):
        configure(greeter, 'implementations = "work"', 'implementations = "work"\ntemplates = "mine"')
        assert greeter("generate").code == 0
    done = greeter("bundle")
    assert done.code == 2
    assert said in done.err
    assert not (greeter.root / "dist").exists()


def test_a_link_that_leaves_the_project_is_refused(greeter: Cli, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (greeter.root / "work/secret.txt").symlink_to(tmp_path / "secret")
    done = greeter("bundle")
    assert done.code == 2
    assert "error[outside-project]" in done.err


@pytest.mark.conformance
def test_a_client_that_knows_the_format_accepts_it(greeter: Cli, tmp_path: Path) -> None:
    """The format's own command validates and unpacks; uv starts the server as the manifest says."""
    assert greeter("bundle").code == 0
    path = npm.node_path(tmp_path / "npm", (20,))
    npm.install(tmp_path / "npm", "@anthropic-ai/mcpb@2.1.2", path=path)
    env = {**os.environ, "PATH": path}
    mcpb = str(tmp_path / "npm/node_modules/.bin/mcpb")
    bundle = str(greeter.root / "dist/ada-s-shop-1.2.0.mcpb")
    folder = tmp_path / "installed"
    subprocess.run([mcpb, "unpack", bundle, str(folder)], check=True, env=env)
    subprocess.run([mcpb, "validate", str(folder / "manifest.json")], check=True, env=env)
    manifest = json.loads((folder / "manifest.json").read_text())
    config = manifest["server"]["mcp_config"]
    uv = str(Path(sys.executable).with_name("uv"))
    words = [each.replace("${__dirname}", str(folder)) for each in config["args"]]
    env = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}

    _, called = answers([uv, *words], tmp_path, {**env, "SHOP_KEY": "s"})

    assert called["result"]["structuredContent"] == {"text": "Hello, Ada!"}  # type: ignore[index]


LINE = 'targets = ["mcp", "registry", "mcpb", "skill", "agents"]\n'


@pytest.mark.parametrize(("line", "lacks", "hint"), [
    ('targets = ["mcpb", "agents"]\n', "'mcp'", 'targets = ["mcpb", "agents", "mcp"]'),
    ('targets = ["openai"]\n', "'mcp' and 'mcpb'", 'targets = ["openai", "mcp", "mcpb"]'),
    ("", "'mcpb'", 'targets = ["anthropic", "bedrock", "gemini", "mcp", "openai", "mcpb"]'),
])  # fmt: skip
def test_the_targets_that_a_bundle_lacks_are_named(greeter: Cli, line: str, lacks: str, hint: str) -> None:
    configure(greeter, LINE, f"{line}coerce = true\n")
    assert greeter("generate").code == 0
    done = greeter("bundle")
    assert done.code == 2
    assert f"error[bundle] a bundle needs {lacks} in `targets`\n" in done.err
    assert f"write `{hint}` in toolgen.toml, then run `toolgen " in done.err
    assert not (greeter.root / "dist").exists()

    configure(greeter, f"{line}coerce = true\n", f"{hint}\n")
    assert greeter("generate").code == 0
    assert greeter("bundle").code == 0
