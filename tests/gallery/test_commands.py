"""Commands of the workspace: the allow-list, limits, and processes that are left behind."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from examples.store.command_rules import RULES, NotAllowedError, Rule
from examples.store.commands import NotAFolderError, NotInstalledError, Output, Runner, TooSlowError
from examples.store.workspace import OutsideWorkspaceError, PathNotFoundError, Workspace
from tests.processes import is_gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the workspace needs a POSIX system")


@pytest.fixture
def runner(workspace: Workspace) -> Runner:
    return Runner(workspace, RULES)


def words(value: object) -> str:
    return ascii(" ".join(value)) if isinstance(value, tuple) else ""


def run(runner: Runner, command: str, *arguments: str, folder: str = ".", seconds: float = 100.0) -> Output:
    return asyncio.run(runner.run(command, arguments, folder, seconds))


def script(workspace: Workspace, code: str, max_output: int = 60_000) -> Runner:
    """Return a runner whose only command, `it`, runs this Python code, which no listed command would do."""
    programs = workspace.root.parent / "programs"
    programs.mkdir(exist_ok=True)
    it = programs / "it"
    it.write_text(f"#!{sys.executable} -I\nimport os, signal, subprocess, sys, time\n{code}\n")
    it.chmod(0o755)
    return Runner(workspace, {"it": Rule()}, f"{programs}:/usr/bin:/bin", max_output)


@pytest.mark.parametrize(
    ("arguments", "writes"),
    [
        (("cat", "notes/suppliers.md", "-n"), b"     1\t# Suppliers"),
        (("head", "-n1", "notes/suppliers.md"), b"# Suppliers\n"),
        (("head", "--lines=1", "notes/suppliers.md"), b"# Suppliers\n"),
        (("head", "-qn", "1", "notes/suppliers.md"), b"# Suppliers\n"),
        (("tail", "-c", "6", "README.md"), b"0-18."),
        (("sort", "-t", ":", "-k", "2", "-r", "notes/suppliers.md"), b"- Nordic"),
        (("find", "-name", "*.txt", "-not", "-empty"), b"quote.txt"),
        (("grep", "-rnF", "10-18."), b"README.md:4:"),
        (("grep", "--", "-555-", "notes/suppliers.md"), b"0241-555-0117"),
        (("wc", "-l", "--", "README.md"), b"4 README.md"),
    ],
    ids=words,
)
def test_listed_commands_run(runner: Runner, arguments: tuple[str, ...], writes: bytes) -> None:
    output = run(runner, *arguments)
    assert (output.exit_code, output.stderr) == (0, b"")
    assert writes in output.stdout or output.stdout.rstrip().endswith(writes)


@pytest.mark.parametrize(
    "arguments",
    [
        ("sh", "-c", "id"),
        ("/bin/cat", "README.md"),
        ("../cat", "README.md"),
        ("git", "-c", "core.pager=touch owned", "log"),
        ("env", "touch", "owned"),
        ("find", ".", "-exec", "touch", "owned", ";"),
        ("find", ".", "-execdir", "touch", "owned", ";"),
        ("find", ".", "-ok", "touch", "owned", ";"),
        ("find", ".", "-delete"),
        ("find", ".", "-name", "*.md", "-delete"),
        ("find", ".", "-fprint", "owned"),
        ("find", ".", "-fls", "owned"),
        ("find", "-L", "."),
        ("find", "-D", "exec", "."),
        ("find", "-files0-from", "README.md"),
        ("find", ".", "(", "-delete", ")"),
        ("find", ".", "!", "-delete"),
        ("sort", "--output=owned", "README.md"),
        ("sort", "--output", "owned", "README.md"),
        ("sort", "--outp=owned", "README.md"),
        ("sort", "-oowned", "README.md"),
        ("sort", "-ro", "owned", "README.md"),
        ("sort", "README.md", "-o", "README.md"),
        ("sort", "--compress-program=touch", "README.md"),
        ("sort", "--files0-from=README.md"),
        ("sort", "-T", "/tmp", "README.md"),
        ("uniq", "README.md", "owned"),
        ("grep", "-f", "README.md", "x"),
        ("grep", "-R", "x"),
        ("grep", "-P", "(a+)+$", "README.md"),
        ("grep", "--include", "*"),
        ("wc", "--files0-from=README.md"),
        ("tail", "-f", "README.md"),
        ("tail", "--follow=name", "README.md"),
        ("head", "-n", "1;id", "README.md"),
        ("head", "-n"),
        ("ls", "-a"),
        ("cat", "-"),
        ("grep",),
        ("diff", "-r", "notes", "templates"),
        ("diff", "README.md", "README.md", "README.md"),
        ("cat", "a\0b"),
        ("cat", "pipe"),
        ("cat", "notes"),
        ("diff", "notes", "templates"),
    ],
    ids=words,
)
def test_other_commands_and_arguments_are_refused(runner: Runner, arguments: tuple[str, ...]) -> None:
    os.mkfifo(runner.workspace.root / "pipe")
    before = sorted(runner.workspace.root.rglob("*"))
    with pytest.raises(NotAllowedError):
        run(runner, *arguments)
    assert sorted(runner.workspace.root.rglob("*")) == before


ESCAPES = """.. ../outside/secret /etc/passwd //etc/passwd notes/../../outside/secret
    link ./link linked linked/secret .hidden notes/.hidden"""


@pytest.fixture
def outside(workspace: Workspace) -> Path:
    """Create a folder outside of the workspace with a secret, links to it from inside, and a hidden copy."""
    folder = workspace.root.parent / "outside"
    folder.mkdir()
    (folder / "secret").write_text("top secret")
    (workspace.root / "link").symlink_to(folder / "secret")
    (workspace.root / "linked").symlink_to(folder, target_is_directory=True)
    (workspace.root / ".hidden").write_text("top secret")
    return folder


@pytest.mark.parametrize("path", ESCAPES.split())
@pytest.mark.parametrize("command", ["cat", "find", "ls"])
def test_nothing_leaves(runner: Runner, outside: Path, command: str, path: str) -> None:
    with pytest.raises(OutsideWorkspaceError):
        run(runner, command, path)
    with pytest.raises(OutsideWorkspaceError):
        run(runner, "ls", folder=path)


def test_links_are_not_followed_and_hidden_files_not_read(runner: Runner, outside: Path) -> None:
    output = run(runner, "grep", "-r", "top")
    assert (output.exit_code, output.stdout) == (1, b"")
    assert b"secret" not in run(runner, "ls", "-R").stdout
    assert b"secret" not in run(runner, "find").stdout


def test_a_path_that_looks_like_an_option_is_a_path(runner: Runner) -> None:
    (runner.workspace.root / "-n").write_text("one\n")
    (runner.workspace.root / "--output=x").write_text("two\n")
    assert run(runner, "cat", "--", "-n", "--output=x").stdout == b"one\ntwo\n"
    assert run(runner, "find", "./-n").stdout == b"./-n\n"


def test_arguments_are_not_expanded_by_a_shell(runner: Runner) -> None:
    for word in ("*.md", "$HOME", "`id`", "$(id)", "a;id", "a|id", "~"):
        with pytest.raises(PathNotFoundError):
            run(runner, "cat", word)
    assert run(runner, "grep", "$(id)", "README.md").exit_code == 1


def test_a_command_runs_in_the_given_folder(runner: Runner) -> None:
    assert run(runner, "ls", folder="templates").stdout == b"quote.txt\nrepair-done.txt\n"
    with pytest.raises(OutsideWorkspaceError):
        run(runner, "cat", "../README.md", folder="templates")
    with pytest.raises(NotAFolderError):
        run(runner, "ls", folder="README.md")
    with pytest.raises(PathNotFoundError):
        run(runner, "ls", folder="letters")


def test_the_environment_has_four_variables(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "secret")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/tmp")
    code = "print(sorted(os.environ), os.getcwd(), os.getpgid(0) == os.getpid(), repr(sys.stdin.read()))"
    said = run(script(workspace, code), "it").stdout.decode()
    assert said == f"['HOME', 'LC_ALL', 'PATH', 'TERM'] {workspace.root} True ''\n", "and no input"


def test_a_command_that_is_not_installed_is_reported(workspace: Workspace) -> None:
    with pytest.raises(NotInstalledError):
        run(Runner(workspace, {"no-such-command": Rule()}), "no-such-command")


def test_the_callers_path_variable_is_not_searched(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "bin" / "cat"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho fake\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    assert b"Shop papers" in run(Runner(workspace, RULES), "cat", "README.md").stdout


MUCH_TOO_LATE = 60.0  # seconds: far less than the commands sleep, far more than a busy machine needs
SLEEPERS = {
    "asleep": "time.sleep(200)",
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(200)",
    "closes its output": "os.close(1)\nos.close(2)\ntime.sleep(200)",
    "writes slowly": "while True:\n    print('x', flush=True)\n    time.sleep(0.01)",
}


@pytest.mark.parametrize("code", SLEEPERS.values(), ids=SLEEPERS.keys())
def test_a_command_beyond_its_time_limit_is_ended(workspace: Workspace, code: str) -> None:
    note = workspace.root / "processes"
    start = "child = subprocess.Popen(['sleep', '200'])\n"
    tell = "open('processes', 'w').write(f'{os.getpid()} {child.pid}')\n"
    it = script(workspace, start + tell + code)
    began = time.monotonic()
    with pytest.raises(TooSlowError, match=r"stopped after 1\.5 seconds"):
        run(it, "it", seconds=1.5)
    assert time.monotonic() - began < MUCH_TOO_LATE
    assert [is_gone(int(process)) for process in note.read_text().split()] == [True, True]


def test_a_cancelled_call_leaves_no_process(workspace: Workspace) -> None:
    note = workspace.root / "process"
    it = script(workspace, f"open('process', 'w').write(str(os.getpid()))\n{SLEEPERS['ignores SIGTERM']}")

    async def cancel() -> float:
        call = asyncio.ensure_future(it.run("it", (), ".", 200))
        while not (note.exists() and note.read_text()):
            await asyncio.sleep(0.02)
        began = time.monotonic()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return time.monotonic() - began

    assert asyncio.run(cancel()) < MUCH_TOO_LATE
    assert is_gone(int(note.read_text()))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped(workspace: Workspace, stream: str) -> None:
    it = script(workspace, f"while True:\n    sys.{stream}.write('x' * 10_000)", max_output=1_000)
    began = time.monotonic()
    output = run(it, "it")
    assert time.monotonic() - began < MUCH_TOO_LATE
    assert (output.exit_code, output.truncated) == (None, True)
    assert getattr(output, stream) == b"x" * 1_000


def test_background_processes_are_ended_and_not_awaited(workspace: Workspace) -> None:
    it = script(workspace, "print(subprocess.Popen(['sleep', '200']).pid)")
    began = time.monotonic()
    output = run(it, "it")
    assert time.monotonic() - began < MUCH_TOO_LATE
    assert output.exit_code == 0
    assert is_gone(int(output.stdout))


def test_binary_output_and_exit_codes_are_returned(workspace: Workspace) -> None:
    (workspace.root / "picture.png").write_bytes(b"\x89PNG\0\xff\n")
    runner = Runner(workspace, RULES)
    assert run(runner, "cat", "picture.png").stdout == b"\x89PNG\0\xff\n"
    assert run(runner, "grep", "unicycle", "README.md").exit_code == 1
    assert run(script(workspace, "os.kill(os.getpid(), signal.SIGKILL)"), "it").exit_code == -9


def test_many_commands_run_concurrently(runner: Runner) -> None:
    async def many() -> list[Output]:
        return await asyncio.gather(*(runner.run("wc", ["-l", "README.md"], ".", 100) for _ in range(20)))

    assert {output.stdout for output in asyncio.run(many())} == {b"4 README.md\n"}


def test_every_listed_command_is_read_only() -> None:
    """Options that write files or run programs must not be added to the allow-list."""
    options = {f"{name} {option}" for name, rule in RULES.items() for option in (*rule.flags, *rule.values)}
    harmful = {"sort -o", "sort --output", "sort --compress-program", "find -exec", "find -delete", "tail -f"}
    assert not options & harmful
    assert RULES["uniq"].most_paths == 1
    assert not RULES.keys() & {"sh", "bash", "env", "xargs", "awk", "sed", "git", "python3", "tee", "dd"}
