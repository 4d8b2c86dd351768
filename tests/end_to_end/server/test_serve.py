"""`toolgen serve`: the generated server from any folder, by a name that people recognise."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.end_to_end.project import ECHO_SPEC, ECHO_TOOL, Project
from tests.preloaded import python_command

NO_GENERATOR = (
    "import sys; [sys.modules.__setitem__(name, None) for name in ('yaml', 'jinja2', 'ruff', 'argcomplete')]"
)
MAIN = "from toolgen.__main__ import main; raise SystemExit(main())"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A generated project with one tool, in a folder `my shop`."""
    project = Project(tmp_path / "my shop")
    project.write("toolgen.toml", 'implementations = "work"\n')
    project.write("specs/echo.yaml", ECHO_SPEC)
    project.write("work/__init__.py", "")
    project.write("work/echo.py", ECHO_TOOL)
    project.generate()
    return project


def serve(shop: Project, *words: str, cwd: Path, before: str = "pass") -> tuple[str, str, str]:
    """Start `toolgen serve` elsewhere; return the server's name and version, and what the tool answers."""
    command, *options = [sys.executable] if before == NO_GENERATOR else python_command(os.environ)
    start = StdioServerParameters(
        command=command,
        args=[*options, "-c", f"{before}; {MAIN}", *words],
        cwd=str(cwd),
        env={**os.environ, **shop.env},
    )

    async def ask() -> tuple[str, str, str]:
        async with Client(start) as client:
            answer = await client.call_tool("echo", {"text": "hi"})
            info = client.server_info
            return info.name, info.version, str(answer.structured_content)

    return asyncio.run(asyncio.wait_for(ask(), 60))


def test_serves_from_another_folder_without_the_generator(shop: Project, tmp_path: Path) -> None:
    shop.write("here.txt", "a relative path is one of the folder of -C")
    shop.write("work/echo.py", f'open("here.txt").close()\n{ECHO_TOOL}')
    name, _, answer = serve(shop, "-C", str(shop.root), "serve", cwd=tmp_path, before=NO_GENERATOR)
    assert name == "my-shop", "never `generated`"
    assert answer == "{'text': 'hi'}"


@pytest.mark.slow
def test_serves_a_package_where_there_is_no_configuration(shop: Project, tmp_path: Path) -> None:
    (shop.root / "toolgen.toml").unlink()
    assert serve(shop, "-C", str(shop.root), "serve", "generated", cwd=tmp_path)[2] == "{'text': 'hi'}"


@pytest.mark.slow
def test_the_configured_name_and_version_are_served(shop: Project, tmp_path: Path) -> None:
    shop.write("toolgen.toml", 'implementations = "work"\nserver = {name = "Shop", version = "2.1.0"}\n')
    shop.generate()
    assert serve(shop, "serve", "-C", str(shop.root), cwd=tmp_path)[:2] == ("Shop", "2.1.0")


def started(
    shop: Project, *words: str, cwd: Path | None = None, code: int = 0, before: str = "pass"
) -> subprocess.CompletedProcess[str]:
    """Start a server whose client has left; return how it ended."""
    done = subprocess.run(
        [*python_command(os.environ), "-c", f"{before}; {MAIN}", "-C", str(shop.root), "serve", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    return done


def test_a_server_without_a_version_says_so_when_it_starts(shop: Project) -> None:
    assert "clients show version 0.0.0 of this server, because it has none" in started(shop).stderr
    shop.write("pyproject.toml", '[project]\nname = "shop"\nversion = "2.2.0"\n')
    shop.generate()
    assert "clients show" not in started(shop).stderr


def test_a_server_without_a_configured_name_has_that_of_its_folder(tmp_path: Path) -> None:
    """As a module, too, and where the package is below `src/`."""
    project = Project(tmp_path / "my shop")
    project.write("toolgen.toml", 'output = "src/acme/generated"\nimplementations = "acme.work"\n')
    project.write("specs/echo.yaml", ECHO_SPEC)
    project.write("src/acme/work/echo.py", ECHO_TOOL.replace("from generated", "from acme.generated"))
    project.generate()
    before = f"import os, runpy, sys; os.chdir({str(project.root / 'src')!r}); sys.path.insert(0, '')"
    module = f"{before}; runpy.run_module('acme.generated.mcp_server', run_name='__main__')"
    for words, code in ((["serve", "-C", str(project.root)], "pass"), ([], module)):
        assert serve(project, *words, cwd=tmp_path, before=code)[0] == "my-shop", words


def test_a_file_named_on_the_command_line_is_found_from_where_the_user_is(
    shop: Project, tmp_path: Path
) -> None:
    (tmp_path / "tokens.toml").write_text("not valid")
    done = started(shop, "--http", "--auth-tokens", "tokens.toml", cwd=tmp_path, code=2)
    assert f"{tmp_path / 'tokens.toml'}" in done.stderr, "found, and not valid"
    assert "No such file" not in done.stderr


def test_a_server_over_stdio_generates_what_changed_and_warns_where_it_cannot(shop: Project) -> None:
    shop.write("specs/echo.yaml", f"{ECHO_SPEC}# edited\n")
    (shop.root / "generated/.toolgen-stage").symlink_to(shop.root)
    warned = "warning: specs/echo.yaml changed after `toolgen generate`"
    assert warned in started(shop).stderr
    assert warned in started(shop, before=NO_GENERATOR).stderr
    (shop.root / "generated/.toolgen-stage").unlink()
    assert "generated 1 file" in started(shop).stderr
    assert "generated" not in started(shop).stderr


@pytest.mark.parametrize(("words", "said"), [
    (["serve", "elsewhere"], "there is no module elsewhere.mcp_server"),
    (["serve", "../x"], "there is no module ../x.mcp_server"),
    (["serve", "--http", "localhost:8000"], "name an address with --host and --port"),
    (["serve", "--port", "1"], "need --http"),
])  # fmt: skip
def test_what_cannot_be_served_ends_with_2(shop: Project, words: list[str], said: str) -> None:
    done = subprocess.run(
        [*python_command(os.environ), "-m", "toolgen", "-C", str(shop.root), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
