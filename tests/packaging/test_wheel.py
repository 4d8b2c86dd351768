"""The wheel as a user gets it: built, installed in a clean environment, tried with and without each extra.

Slow (environments are made): `make test-wheel` runs it, `make test` does not.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.wheel


def run(*argv: str | Path, cwd: Path, want: int = 0) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    env["TOOLGEN_CACHE_DIR"] = str(cwd / ".cache")
    env["TOOLGEN_EXAMPLES_DATA"] = str(cwd / ".data")
    done = subprocess.run([str(a) for a in argv], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == want, f"{argv} → {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the source distribution: those of TOOLGEN_DIST, or built from a copy of the tracked files."""
    if built := os.environ.get("TOOLGEN_DIST"):
        return ROOT / built
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, tracked.stdout.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


def environment(folder: Path, requirement: str) -> Path:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    run(uv, "venv", "--quiet", "--python", sys.executable, folder / "env", cwd=folder)
    run(uv, "pip", "install", "--quiet", "--python", folder / "env", requirement, cwd=folder)
    return folder / "env" / "bin"


def with_gallery(folder: Path) -> None:
    for name in ("generated", "examples", "specs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "toolgen.toml", folder / "toolgen.toml")


CALL = """
import asyncio, json, sys
from generated import catalog
async def main():
    response = await catalog.toolkit().call("catalog_search", {"query": "sea"})
    print(json.dumps([response.success, "mcp" in sys.modules, "yaml" in sys.modules]))
asyncio.run(main())
"""

LIST = """
import asyncio, sys
from mcp import Client, StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "generated.mcp_server"])
    async with Client(server) as client:
        print(*(tool.name for tool in (await client.list_tools()).tools))
asyncio.run(main())
"""


def test_templates_and_marker_are_in_both_distributions(dist: Path, wheel: Path) -> None:
    templates = {p.relative_to(ROOT).as_posix() for p in (ROOT / "templates").rglob("*.jinja")}
    assert templates
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {f"toolgen/{t}" for t in templates} <= names
    assert "toolgen/py.typed" in names
    assert not [n for n in names if n.startswith(("tests", "examples", "specs", "generated"))]
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        packed = {n.partition("/")[2] for n in archive.getnames()}
    assert templates <= packed


def test_base_runs_generated_code_and_names_the_extra_it_lacks(wheel: Path, tmp_path: Path) -> None:
    bin_ = environment(tmp_path, str(wheel))
    with_gallery(tmp_path)
    assert json.loads(run(bin_ / "python", "-c", CALL, cwd=tmp_path).stdout) == [True, False, False]
    assert "toolgen[cli]" in run(bin_ / "toolgen", "generate", cwd=tmp_path, want=2).stderr
    assert "toolgen[mcp]" in run(bin_ / "python", "-m", "generated.mcp_server", cwd=tmp_path, want=2).stderr


def test_cli_generates_from_nothing(wheel: Path, tmp_path: Path) -> None:
    bin_ = environment(tmp_path, f"{wheel}[cli]")
    project = tmp_path / "project"
    project.mkdir()
    run(bin_ / "toolgen", "init", cwd=project)
    run(bin_ / "toolgen", "new", "greet", "--description", "Greet.", "--param", "name:string", cwd=project)
    run(bin_ / "toolgen", "generate", cwd=project)
    run(bin_ / "toolgen", "check", cwd=project)
    done = run(bin_ / "toolgen", "export", "openai-chat", cwd=project)
    assert json.loads(done.stdout)[0]["function"]["name"] == "greet"


def test_mcp_serves_without_the_generator(wheel: Path, tmp_path: Path) -> None:
    bin_ = environment(tmp_path, f"{wheel}[approval,mcp]")  # refund_order wants a person's approval
    with_gallery(tmp_path)
    assert "create_purchase_order" in run(bin_ / "python", "-c", LIST, cwd=tmp_path).stdout
    assert "toolgen[cli]" in run(bin_ / "toolgen", "check", cwd=tmp_path, want=2).stderr


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_every_command_of_the_readme_works_after_an_installation(
    dist: Path, kind: str, tmp_path: Path
) -> None:
    commands = environment(tmp_path, f"{next(dist.glob(kind))}[all]")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shop = tmp_path / "shop"
    shop.mkdir()
    ran = 0
    for marker, language, text in re.findall(r"(<!--.*?-->\n)?```(\w+)\n(.*?)```", readme, re.DOTALL):
        if language == "python":
            path = shop / text.partition("\n")[0].removeprefix("# ")
            path.write_text(text)
        elif language == "console" and not marker:
            for command in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
                done = subprocess.run(
                    ["bash", "-c", command],
                    cwd=shop,
                    env={**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == ("nmae" in command), command + done.stderr
                ran += 1
    assert ran == 3


def test_pipx_and_uvx_run_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """The commands of docs/install.md."""
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--quiet"]
    assert run(*uvx, "--from", f"{wheel}[cli]", "toolgen", "-V", cwd=tmp_path).stdout.startswith("toolgen ")
    homes = {f"PIPX_{name}": str(tmp_path / name) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    command = [*uvx, "pipx", "install", "--quiet", f"{wheel}[cli]"]
    subprocess.run(command, check=True, env={**os.environ, **homes}, cwd=tmp_path)
    assert run(tmp_path / "BIN_DIR/toolgen", "-V", cwd=tmp_path).stdout.startswith("toolgen ")


def test_what_init_writes_for_ci_passes_on_the_first_push_of_a_repository_with_the_wheel(
    wheel: Path, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    (shop / "vendor").mkdir(parents=True)
    vendored = shutil.copy(wheel, shop / "vendor")
    (shop / "developer").mkdir()
    commands = environment(shop / "developer", f"{vendored}[cli]")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    run("git", "init", "-q", "-b", "main", cwd=shop)
    run(commands / "toolgen", "init", cwd=shop)
    run(commands / "toolgen", "new", "greet", "--description", "Greet a person.", cwd=shop)
    run(commands / "toolgen", "generate", cwd=shop)
    (shop / ".gitignore").write_text("developer/\n.cache/\n" + (shop / ".gitignore").read_text())
    run("git", "add", "-A", cwd=shop)
    run(*git, "commit", "-qm", "First", cwd=shop)
    run("git", "clone", "-q", shop, tmp_path / "runner", cwd=tmp_path)
    run(sys.executable, "-m", "venv", tmp_path / "python", cwd=tmp_path)
    steps = yaml.safe_load((tmp_path / "runner/.github/workflows/toolgen.yml").read_text())["jobs"]["check"][
        "steps"
    ]
    scripts = [each["run"] for each in steps if "run" in each and "if" not in each]
    assert len(scripts) == 5
    for script in scripts:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=tmp_path / "runner",
            env={**os.environ, "PATH": f"{tmp_path}/python/bin:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
