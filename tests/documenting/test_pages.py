"""The page over HTTP: what is public, what needs the token, which hosts are answered; and the command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from toolgen.cli import main
from toolgen.cli.exit_codes import ExitCode

from tests.cli.conftest import Done
from tests.preloaded import python_command

SPEC = "name: ping\ndescription: Ping.\ninput_schema: {type: object}\n"


Cli = Callable[..., Done]


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run toolgen in this process."""

    def run(*words: str) -> Done:
        code = main(words)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    (folder / "specs").mkdir()
    (folder / "specs/ping.yaml").write_text(SPEC)
    return folder


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    command = [*python_command(os.environ), "-m", "toolgen", "-C", str(project), "dev", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield next(line.removeprefix("open ").strip() for line in process.stderr if line.startswith("open "))
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == ExitCode.INTERRUPTED


def get(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def test_the_page_itself_is_public_and_has_a_strict_policy(address: str) -> None:
    server, _, token = address.partition("#token=")
    status, headers, text = get(server)
    assert (status, "toolgen docs" in text) == (200, True)
    assert token
    assert token not in text
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["catalogue.json", "events", "mcp", "nothing"])
def test_everything_else_needs_the_token(address: str, path: str) -> None:
    server, _, _ = address.partition("#token=")
    assert get(f"{server}{path}")[0] == 401


def test_the_catalogue_comes_with_the_token(address: str) -> None:
    server, _, token = address.partition("#token=")
    status, _, text = get(f"{server}catalogue.json", Authorization=f"Bearer {token}")
    assert status == 200
    assert [each["name"] for each in json.loads(text)["catalogue"]["tools"]] == ["ping"]
    assert get(f"{server}nothing", Authorization=f"Bearer {token}")[0] == 404


def test_another_host_is_refused(address: str) -> None:
    server, _, _ = address.partition("#token=")
    assert get(server, Host="rebinding.example")[0] == 421


def test_another_address_is_refused_without_authentication(run_cli: Cli, project: Path) -> None:
    done = run_cli("-C", str(project), "dev", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 2
    assert "without authentication" in done.err


def test_a_page_of_another_program_is_not_replaced(run_cli: Cli, project: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>mine</h1>")
    done = run_cli("-C", str(project), "docs", "--out", str(tmp_path))
    assert done.code == 2
    assert "has not written it" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.html"]


def test_a_page_is_written_again_over_an_earlier_one(run_cli: Cli, project: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert run_cli("-C", str(project), "docs", "--out", str(tmp_path / "page")).code == 0
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert names == {"LICENSES.txt", "data.js", "index.html", "page.css", "page.js"}


def test_the_target_docs_is_checked_like_code(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\ntargets = ["docs"]\n')
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/ping.yaml").write_text(SPEC)
    assert run_cli("-C", str(tmp_path), "generate").code == 0
    page = tmp_path / "generated/docs/tools/ping.md"
    assert "# ping" in page.read_text()
    page.write_text(page.read_text() + "edited\n")
    done = run_cli("-C", str(tmp_path), "check")
    assert done.code == 1
    assert "generated/docs/tools/ping.md" in done.out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--serve"], "use `toolgen dev`"),
        (["--out", "x", "--against", "no-such-ref"], "no-such-ref"),
        ([], "the following arguments are required: --out"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(
    run_cli: Cli, project: Path, words: list[str], why: str
) -> None:
    done = run_cli("-C", str(project), "docs", *words)
    assert done.code == 2
    assert why in done.err
